// Token: the secret that gait.serve wants with each request, and the servers that may see it. A token proves
// who asks. Everybody on the way of a plain HTTP request can read the token, so it never leaves this machine.
#pragma once

#include <optional>
#include <string>

namespace gait::capture::remote {

struct Token {
  std::string text;
  bool of_file = false;  // left by gait.serve for others of the same user, who listens at 127.0.0.1 alone
};

// The token in $GAIT_TOKEN, else in the file that gait.serve left for this port. The file counts only if it
// is a plain file of this user, and nobody else can read it or could have put it there. nullopt: no token.
std::optional<Token> FindToken(int port);

// Whether a server at this numeric IP address may see the token. A given token may go to any loopback
// address; a token from a file only to the address that the file is for, since anybody may listen at the
// others.
bool MayBeSentTo(const Token& token, const std::string& ip);

}  // namespace gait::capture::remote
