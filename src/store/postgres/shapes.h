// The columns of the tables that are written many rows at a time.
#pragma once

#include "store/postgres/sql.h"

namespace cronce::postgres {

inline const TableShape kNodes{"nodes",
                               1,
                               {{"incarnation", "uuid"},
                                {"name", "text"},
                                {"node", "text"},
                                {"ended", "boolean"},
                                {"ended_at", "bigint"},
                                {"remembered", "boolean"},
                                {"changed", "bigint"}}};

inline const TableShape kLanes{"lanes",
                               2,
                               {{"incarnation", "uuid"},
                                {"lane", "bigint"},
                                {"sequence", "bigint"},
                                {"epoch", "bigint"},
                                {"outcome_of", "bigint"},
                                {"outcome", "text"}}};

inline const TableShape kSources{"sources",
                                 1,
                                 {{"source", "text"},
                                  {"digest", "text"},
                                  {"generation", "bigint"},
                                  {"numbered", "boolean"},
                                  {"changed", "bigint"}}};

inline const TableShape kDigests{"digests", 2, {{"source", "text"}, {"digest", "text"}}};

inline const TableShape kJobs{"jobs",
                              1,
                              {{"uid", "bigint"},
                               {"turn", "bigint"},
                               {"cursor", "bigint"},
                               {"next", "bigint"},
                               {"label", "bigint"},
                               {"version", "text"},
                               {"zone_data", "text"},
                               {"moved_by", "text"},
                               {"fence_count", "bigint"},
                               {"runs_started", "bigint"},
                               {"busy_until", "bigint"},
                               {"floor", "bigint"},
                               {"purged", "bigint"},
                               {"succeeded", "bigint"},
                               {"open", "text"},
                               {"changes", "bigint"},
                               {"changed", "bigint"}}};

inline const TableShape kDefinitions{"definitions",
                                     1,
                                     {{"uid", "bigint"},
                                      {"name", "text"},
                                      {"definition", "text"},
                                      {"revision", "bigint"},
                                      {"whole", "bigint"},
                                      {"member", "text"},
                                      {"paused", "boolean"},
                                      {"pause_until", "bigint"},
                                      {"pause_note", "text"},
                                      {"only_exec", "boolean"},
                                      {"since", "bigint"}}};

/// The first alone is what its rows are removed by.
inline const TableShape kJobSources{
    "job_sources", 1, {{"uid", "bigint"}, {"source", "text"}, {"digest", "text"}}};

inline const TableShape kRuns{
    "runs", 5, {{"job", "bigint"},         {"space", "smallint"},    {"slot", "bigint"},
                {"request", "text"},       {"attempt", "bigint"},    {"kind", "text"},
                {"state", "text"},         {"reason", "text"},       {"key", "text"},
                {"due", "bigint"},         {"fence", "bigint"},      {"incarnation", "uuid"},
                {"node", "text"},          {"claimed_at", "bigint"}, {"started_at", "bigint"},
                {"finished_at", "bigint"}, {"exit_code", "bigint"},  {"concurrency", "text"},
                {"stop", "text"},          {"deferred", "boolean"},  {"confirmed", "boolean"},
                {"decided_by", "text"},    {"decided_at", "bigint"}, {"revision", "bigint"},
                {"env", "text"},           {"progress", "bytea"},    {"output_tail", "bytea"}}};

/// What becomes of a run once it is there.
inline const TableShape kMovedRuns{
    "runs", 5, {{"job", "bigint"},         {"space", "smallint"},    {"slot", "bigint"},
                {"request", "text"},       {"attempt", "bigint"},    {"state", "text"},
                {"reason", "text"},        {"fence", "bigint"},      {"incarnation", "uuid"},
                {"node", "text"},          {"claimed_at", "bigint"}, {"started_at", "bigint"},
                {"finished_at", "bigint"}, {"exit_code", "bigint"},  {"concurrency", "text"},
                {"stop", "text"},          {"deferred", "boolean"},  {"confirmed", "boolean"},
                {"progress", "bytea"},     {"output_tail", "bytea"}}};

inline const TableShape kRanges{"ranges",
                                2,
                                {{"job", "bigint"},
                                 {"first", "bigint"},
                                 {"last", "bigint"},
                                 {"count", "bigint"},
                                 {"reason", "text"},
                                 {"decided_by", "text"},
                                 {"decided_at", "bigint"},
                                 {"revision", "bigint"}}};

inline const TableShape kKeys{"keys",
                              1,
                              {{"key", "text"},
                               {"state", "text"},
                               {"fence", "bigint"},
                               {"incarnation", "uuid"},
                               {"owner", "text"},
                               {"result", "bytea"},
                               {"expires", "bigint"}}};

inline const TableShape kFormer{"former",
                                1,
                                {{"job", "bigint"},
                                 {"since", "bigint"},
                                 {"until", "bigint"},
                                 {"revision", "bigint"},
                                 {"definition", "text"}}};

inline const TableShape kInterventions{"interventions",
                                       1,
                                       {{"job", "bigint"},
                                        {"at", "bigint"},
                                        {"what", "text"},
                                        {"again", "boolean"},
                                        {"until", "bigint"},
                                        {"who", "text"},
                                        {"why", "text"},
                                        {"run", "bigint"},
                                        {"space", "smallint"},
                                        {"slot", "bigint"},
                                        {"request", "text"},
                                        {"attempt", "bigint"}}};

}  // namespace cronce::postgres
