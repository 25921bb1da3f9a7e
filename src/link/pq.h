// libpq as a table of its functions, loaded on first use.
//
// Its headers are needed to build, itself only where a store is a PostgreSQL server. For src/link
// only.
#pragma once

#include <libpq-fe.h>

#include "base/result.h"

namespace cronce {

struct PqTable {
  decltype(&PQconninfoParse) conninfo_parse = nullptr;
  decltype(&PQconninfoFree) conninfo_free = nullptr;
  decltype(&PQfreemem) free_memory = nullptr;
  decltype(&PQconnectStartParams) connect_start_params = nullptr;
  decltype(&PQconnectPoll) connect_poll = nullptr;
  decltype(&PQfinish) finish = nullptr;
  decltype(&PQstatus) status = nullptr;
  decltype(&PQsocket) socket = nullptr;
  decltype(&PQerrorMessage) error_message = nullptr;
  decltype(&PQsetErrorVerbosity) set_error_verbosity = nullptr;
  decltype(&PQsetNoticeReceiver) set_notice_receiver = nullptr;
  decltype(&PQsetnonblocking) set_nonblocking = nullptr;
  decltype(&PQenterPipelineMode) enter_pipeline_mode = nullptr;
  decltype(&PQsendQueryParams) send_query_params = nullptr;
  decltype(&PQpipelineSync) pipeline_sync = nullptr;
  decltype(&PQflush) flush = nullptr;
  decltype(&PQconsumeInput) consume_input = nullptr;
  decltype(&PQisBusy) is_busy = nullptr;
  decltype(&PQgetResult) get_result = nullptr;
  decltype(&PQclear) clear = nullptr;
  decltype(&PQresultStatus) result_status = nullptr;
  decltype(&PQresultErrorMessage) result_error_message = nullptr;
  decltype(&PQresultErrorField) result_error_field = nullptr;
  decltype(&PQntuples) ntuples = nullptr;
  decltype(&PQnfields) nfields = nullptr;
  decltype(&PQgetisnull) getisnull = nullptr;
  decltype(&PQgetvalue) getvalue = nullptr;
  decltype(&PQgetlength) getlength = nullptr;
  decltype(&PQnotifies) notifies = nullptr;
};

/// The table, from every thread; it stays for the life of the process. An error says what to
/// install.
Result<const PqTable*> load_pq();

}  // namespace cronce
