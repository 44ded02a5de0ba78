// Token: what gait.serve wants to see with each request, and to whom it may be shown. A token proves who
// asks; over plain HTTP whoever carries the request can read it, so it never leaves this machine.
#pragma once

#include <optional>
#include <string>

namespace gait::capture::remote {

struct Token {
  std::string text;
  bool of_file = false;  // left by gait.serve for others of the same user, who listens at 127.0.0.1 alone
};

// Of $GAIT_TOKEN, else of the file that gait.serve left for this port. A file counts only where it is a plain
// one of this user that nobody else can read or could have put there. nullopt: none.
std::optional<Token> FindToken(int port);

// Whether a server at this numeric IP address may see it: any loopback address a token that was given, and of
// files only the one that they are for. Anybody may listen at the others.
bool MayBeSentTo(const Token& token, const std::string& ip);

}  // namespace gait::capture::remote
