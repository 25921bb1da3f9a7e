#include "keeper/message.h"

namespace cronce {

auto members(Of<Stop> auto& v) { return std::tie(v.run, v.reason); }
auto members(Of<TrustOrder> auto& v) { return std::tie(v.steady, v.incarnation, v.zero); }
auto members(Of<KillAllOrder> auto&) { return std::tie(); }
auto members(Of<EndStoredOrder> auto& v) { return std::tie(v.key); }
auto members(Of<Leave> auto&) { return std::tie(); }
auto members(Of<Started> auto& v) { return std::tie(v.run, v.pid, v.at); }
auto members(Of<Ended> auto& v) { return std::tie(v.end); }
auto members(Of<Progress> auto& v) { return std::tie(v.run, v.text); }
auto members(Of<Remark> auto& v) { return std::tie(v.text); }

std::string encode(const Order& order) { return encode_one_of(order); }
std::string encode(const Report& report) { return encode_one_of(report); }
Result<Order> decode_order(std::string_view bytes) { return decode_one_of<Order>(bytes); }
Result<Report> decode_report(std::string_view bytes) { return decode_one_of<Report>(bytes); }

}  // namespace cronce
