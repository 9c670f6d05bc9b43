#include <string>

// The declaration in opencv2/core/utility.hpp, because the libraries are often installed without the headers.
namespace cv {
std::string getVersionString();
}

bool use_opencv() { return !cv::getVersionString().empty(); }
