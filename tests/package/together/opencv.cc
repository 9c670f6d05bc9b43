#include <string>

// As opencv2/core/utility.hpp declares it: the libraries are often installed without the headers.
namespace cv {
std::string getVersionString();
}

bool use_opencv() { return !cv::getVersionString().empty(); }
