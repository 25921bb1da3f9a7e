#include "link/pq.h"

#include "link/library.h"

namespace cronce {
namespace {

bool fill_connecting(void* library, PqTable* table) {
  return fill_entry(library, "PQconninfoParse", &table->conninfo_parse) &&
         fill_entry(library, "PQconninfoFree", &table->conninfo_free) &&
         fill_entry(library, "PQfreemem", &table->free_memory) &&
         fill_entry(library, "PQconnectStartParams", &table->connect_start_params) &&
         fill_entry(library, "PQconnectPoll", &table->connect_poll) &&
         fill_entry(library, "PQfinish", &table->finish) &&
         fill_entry(library, "PQstatus", &table->status) &&
         fill_entry(library, "PQsocket", &table->socket) &&
         fill_entry(library, "PQerrorMessage", &table->error_message) &&
         fill_entry(library, "PQsetErrorVerbosity", &table->set_error_verbosity) &&
         fill_entry(library, "PQsetNoticeReceiver", &table->set_notice_receiver) &&
         fill_entry(library, "PQsetnonblocking", &table->set_nonblocking);
}

bool fill_asking(void* library, PqTable* table) {
  return fill_entry(library, "PQenterPipelineMode", &table->enter_pipeline_mode) &&
         fill_entry(library, "PQsendQueryParams", &table->send_query_params) &&
         fill_entry(library, "PQpipelineSync", &table->pipeline_sync) &&
         fill_entry(library, "PQflush", &table->flush) &&
         fill_entry(library, "PQconsumeInput", &table->consume_input) &&
         fill_entry(library, "PQisBusy", &table->is_busy) &&
         fill_entry(library, "PQgetResult", &table->get_result);
}

bool fill_answers(void* library, PqTable* table) {
  return fill_entry(library, "PQclear", &table->clear) &&
         fill_entry(library, "PQresultStatus", &table->result_status) &&
         fill_entry(library, "PQresultErrorMessage", &table->result_error_message) &&
         fill_entry(library, "PQresultErrorField", &table->result_error_field) &&
         fill_entry(library, "PQntuples", &table->ntuples) &&
         fill_entry(library, "PQnfields", &table->nfields) &&
         fill_entry(library, "PQgetisnull", &table->getisnull) &&
         fill_entry(library, "PQgetvalue", &table->getvalue) &&
         fill_entry(library, "PQgetlength", &table->getlength) &&
         fill_entry(library, "PQnotifies", &table->notifies);
}

Result<PqTable> fill_pq() {
  const auto library = load_library("libpq", {"libpq.so.5"}, "libpq5");
  if (!library) return library.error();
  PqTable table;
  if (!fill_connecting(*library, &table) || !fill_asking(*library, &table) ||
      !fill_answers(*library, &table)) {
    return Error{Code::unavailable, "libpq was loaded, and is older than 14: it has no pipelines"};
  }
  return table;
}

}  // namespace

Result<const PqTable*> load_pq() {
  static const Result<PqTable> loaded = fill_pq();
  if (!loaded) return loaded.error();
  return &*loaded;
}

}  // namespace cronce
