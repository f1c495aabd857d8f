#!/bin/bash
# The targets of the Makefile that build: what each builds, and that what is missing is said or installed before anything is built.
# cmake, apt-get and the like are stand-ins which write down how they were called.
# shellcheck disable=SC2015,SC2016,SC2088 # what stands after "||" ends the test; $ and ~ are meant as they are
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
unset MAKEFLAGS MAKELEVEL MFLAGS BIN BUILD DATA MODELS SCALE SEED THREADS OVERWRITE WERROR CMAKE_FLAGS ROWS PEER_PYTHON
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  sed 's/^/  called: /' "$tmp/calls"
  sed 's/^/  said: /' "$tmp/log"
  exit 1
}

mkdir "$tmp/stand-ins" "$tmp/house"
cp -r Makefile CMakeLists.txt recipes data "$tmp/house"
rm -rf "$tmp/house/data/cache"
mkdir -p "$tmp/house/tools" "$tmp/house/tests/bench"
for tool in tools/*.cpp; do touch "$tmp/house/$tool"; done
cp tests/bench/bench.sh "$tmp/house/tests/bench"
stand_in() { # NAME: the program, on standard input
  { printf '#!/bin/bash\nprintf "%%s\\n" "%s $*" >>"%s"\n' "$1" "$tmp/calls" && cat; } >"$tmp/stand-ins/$1"
  chmod +x "$tmp/stand-ins/$1"
}
# Configuring leaves a build.ninja and a cache, which finds Google Benchmark if it is installed.
stand_in cmake <<CMAKE
while [ \$# -gt 0 ]; do
  if [ "\$1" = -B ]; then
    mkdir -p "\$2" && touch "\$2/build.ninja"
    if [ -e '$tmp/benchmark' ]; then echo 'benchmark_DIR:PATH=/usr/lib'; else echo 'benchmark_DIR:PATH=benchmark_DIR-NOTFOUND'; fi >"\$2/CMakeCache.txt"
  fi
  shift
done
CMAKE
stand_in ctest </dev/null
stand_in dpkg-query <<DPKG
[ "\${*: -1}" != libbenchmark-dev ] || [ -e '$tmp/benchmark' ] || exit 1
echo 'install ok installed'
DPKG
stand_in apt-get <<APT
touch '$tmp/benchmark'
APT
stand_in sudo <<'SUDO'
exit 1
SUDO
stand_in id <<ID
cat '$tmp/user'
ID
make_house() {
  : >"$tmp/calls"
  PATH=$tmp/stand-ins:$PATH make --no-print-directory -C "$tmp/house" JOBS=2 "$@" >"$tmp/log" 2>&1
}
called() { grep -Eqx -- "$1" "$tmp/calls"; }
tools=$(cd tools && printf '%s\n' *.cpp | sed 's/\.cpp$//' | tr '\n' ' ' | sed 's/ $//')

make_house build || fail 'make build'
called "cmake --build build -j 2 --target $tools" || fail 'make build builds the tools'
[ "$(grep -c -- --build "$tmp/calls")" = 1 ] || fail 'make build builds nothing else'
make_house test || fail 'make test'
called 'cmake --build build -j 2' || fail 'make test builds everything'
called 'cmake --build build-double -j 2 --target gradcheck' || fail 'and the double-precision build'
called 'ctest --test-dir build --output-on-failure -j 2' || fail 'make test runs the tests'
! called 'cmake -S .* -B build' || fail 'a build that is there is configured once'
make_house test WERROR=ON || fail 'make test WERROR=ON'
called 'cmake -S .* -DHEADWATER_WERROR=ON .*-B build' || fail 'WERROR=ON holds for a build that is there'

# Google Benchmark is wanted by the kernels only.
echo 1000 >"$tmp/user"
! make_house bench || fail 'make bench without Google Benchmark'
grep -qx 'deps: packages are missing; please type: sudo apt-get install -y --no-install-recommends libbenchmark-dev' "$tmp/log" ||
  fail 'make bench names what is missing'
! grep -q -- --build "$tmp/calls" || fail 'make bench builds before it names what is missing'
make_house bench ROWS='A1 C' || true # ends at the program that the stand-in did not build
called 'cmake --build build -j 2 --target steps_bench' || fail 'rows without kernels need no Google Benchmark'
echo 0 >"$tmp/user"
make_house bench ROWS=kernels || true
called 'apt-get install .* libbenchmark-dev' || fail 'make bench installs what is missing where it may'
[ "$(grep -Enm 1 '^apt-get' "$tmp/calls" | cut -d: -f1)" -lt "$(grep -n -- '--build' "$tmp/calls" | cut -d: -f1)" ] || fail 'before it builds'
called 'cmake --build build -j 2 --target steps_bench kernels_bench' || fail 'and builds then'
! make_house bench ROWS='A1 nonsense' || fail 'a row that is not there'
grep -q '^bench.sh: unknown row nonsense ' "$tmp/log" && [ ! -s "$tmp/calls" ] || fail 'an unknown row is named before anything is built'
! make_house bench PEER_PYTHON=false || fail 'a Python without torch'
grep -qx 'bench.sh: false has no torch (PEER_PYTHON=python names one that has)' "$tmp/log" && [ ! -s "$tmp/calls" ] ||
  fail 'a Python without torch is named before anything is built'

# Recipes are run by headwater, with what was typed as its options.
mkdir -p "$tmp/house/build/bin"
{ printf '#!/bin/bash\nprintf "<%%s>" "headwater of make $HEADWATER_MAKE" "$@" >>"%s"; echo >>"%s"\n' "$tmp/calls" "$tmp/calls"; } >"$tmp/house/build/bin/headwater"
chmod +x "$tmp/house/build/bin/headwater"
ran() { # WHAT CALL
  [ "$(grep -c '^<headwater' "$tmp/calls")" = 1 ] && grep -qxF "$2" "$tmp/calls" || fail "$1"
}
make_house recipe-phrasebook || fail 'make recipe-NAME'
ran 'make recipe-NAME' '<headwater of make 1><run><--scale=full><--models=models><--threads=0><recipes/phrasebook.yaml>'
make_house recipe RECIPE="my 'recipe' \$\$HOME.yaml" SCALE=quick SEED=3 SET='training.epochs=2 model.norm=*' THREADS=2 OVERWRITE=1 ALLOW_EMPTY=1 DATA='my "data"' MODELS='a;b' || fail 'make recipe with all variables'
ran 'what make recipe hands on' "<headwater of make 1><run><--scale=quick><--models=a;b><--threads=2><--seed=3><--data=my \"data\"><--overwrite><--allow-empty><my 'recipe' \$HOME.yaml><training.epochs=2><model.norm=*>"
make_house recipes QUIET=1 || fail 'make recipes'
ran 'make recipes' '<headwater of make 1><run><--scale=full><--models=models><--threads=0><--quiet><--all>'
! make_house recipe-phrasebok || fail 'a recipe that is not there'
grep -q 'no recipe "phrasebok"; there are: ' "$tmp/log" && [ ! -s "$tmp/calls" ] || fail 'it is said before anything is built'

# A folder for builds that make cannot name is refused before anything else is done; other folders may have any name.
mkdir "$tmp/house/my" "$tmp/house/models" "$tmp/house/my models"
refuses() { # VARIABLE=VALUE GOAL
  ! make_house "$@" || fail "$* was taken"
  [ ! -s "$tmp/calls" ] && [ "$(wc -l <"$tmp/log")" = 1 ] || fail "$*: something was done before it was refused"
  grep -q "^Makefile:[0-9]*: \*\*\* ${1%%=*}=\"[^\"]*\" has .*, which make cannot name; .*\.  Stop\.$" "$tmp/log" || fail "$*: the message"
}
for goal in build demo recipe-phrasebook recipes recipe distclean; do refuses BUILD='my data' $goal; done
for value in 'a	b' 'a;b' 'a:b' 'a$$(touch b)' "a'b" 'a\b' 'a*' 'a|b' 'a(b)' 'a&b' 'a%b' 'a\#b' 'a>b' 'a=b' 'a`b`'; do refuses "BUILD=$value" build; done
[ -d "$tmp/house/my" ] && [ -d "$tmp/house/models" ] || fail 'distclean removed something else'
for value in /srv/data ../my-data_2 'C++,v1@home' 'año/datos' '~/data'; do make_house build "DATA=$value" "MODELS=$value" || fail "$value was refused"; done
make_house distclean MODELS='my models' && [ ! -e "$tmp/house/my models" ] && [ -d "$tmp/house/my" ] && [ -d "$tmp/house/models" ] || fail 'distclean of a folder with a space'

echo 'the Makefile builds what it says'
