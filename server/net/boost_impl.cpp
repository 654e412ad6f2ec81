// The one place where the non-template parts of Asio and Beast are compiled
// (BOOST_ASIO_SEPARATE_COMPILATION, BOOST_BEAST_SEPARATE_COMPILATION).
//
// Beast 1.81 asserts that 5 bytes are there where a chunk begins (basic_parser.ipp:702), which a peer
// decides: "0", CR, LF and one byte more ended a build with assertions. Without, it goes on rightly.
#define BOOST_DISABLE_ASSERTS
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
