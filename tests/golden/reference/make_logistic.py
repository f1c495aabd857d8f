"""Weights of scikit-learn's LogisticRegression for tests/unit/training/logistic_regression_test.cpp.

python make_logistic.py          prints the rows of its table (made with scikit-learn 1.9.1, numpy 2)
"""
import numpy
import sklearn
from sklearn.linear_model import LogisticRegression

EXAMPLES, FEATURES = 40, 4
x = numpy.array([[((i * 7 + d * 13 + i * d * 3) % 17 - 8) / 8 for d in range(FEATURES)] for i in range(EXAMPLES)])
print("scikit-learn", sklearn.__version__)
for classes, C, weights in ((3, 1.0, None), (3, 100.0, "balanced"), (2, 0.5, None), (2, 10.0, {0: 1.0, 1: 4.0})):
    y = numpy.array([(i * i + i // 3 + (x[i, 0] > 0)) % classes for i in range(EXAMPLES)])
    model = LogisticRegression(C=C, class_weight=weights, tol=1e-12, max_iter=100000).fit(x, y)
    rows = model.coef_.T.ravel().tolist() + model.intercept_.tolist()
    print(classes, C, weights, "{" + ", ".join(f"{v:.8f}" for v in rows) + "}")
