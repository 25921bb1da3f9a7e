# cmake -D IN=FILE -D OUT=FILE -D FROM=TEXT -D TO=TEXT -P mutate.cmake
# Copies IN to OUT with FROM replaced by TO, and fails when FROM does not occur exactly once: a
# planted fault that plants nothing, or more than it says, would prove nothing.
file(READ "${IN}" text)
string(FIND "${text}" "${FROM}" first)
string(FIND "${text}" "${FROM}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "'${FROM}' must occur once in ${IN}; choose the planted fault anew")
endif()
string(REPLACE "${FROM}" "${TO}" text "${text}")
file(WRITE "${OUT}" "${text}")
