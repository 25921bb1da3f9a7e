// What may stand in the header of a mail, whatever it was before.
#pragma once

#include <string>
#include <string_view>

namespace cronce {

/// Without line breaks or other control characters, so that it cannot begin another header.
std::string mail_line(std::string_view text);

/// For people to read, as in `Subject`. What is not ASCII is written as RFC 2047 says:
/// `=?UTF-8?Q?caf=C3=A9?=`
std::string mail_text(std::string_view text);

/// The name that stands before an address: `"cronce on web-1"`
std::string mail_name(std::string_view text);

}  // namespace cronce
