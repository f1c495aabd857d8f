# Starts the program of this package whose name it is called by: all the Python there is of Headwater.
import os
import sys


def main():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", os.path.basename(sys.argv[0]))
    os.execv(program, [program] + sys.argv[1:])
