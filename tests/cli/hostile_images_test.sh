#!/bin/bash
# Image files of all kinds through vectorize and classify, from one table: decoded as users expect, or one line that names the file, exit
# code 1, and nothing written. Then files that are no files, and images whose memory would be large.
#   hostile_images_test.sh BIN     BIN: the folder of the tools
set -u
PATH=$1:$PATH
folder=$(mktemp -d) && before=$(mktemp) && trap 'rm -rf "$folder" "$before"' EXIT && cd "$folder" || exit 1
faults=0
fault() { # WHAT: said, and counted
  echo "FAILED: $1"
  faults=$((faults + 1))
}
# NAME|the pixels that the file ends with, in hexadecimal, or what is said about it|the file in base64
table() {
  cat << 'TABLE'
rgb8.png|ff00000000ff0000ffff0000|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR42mP4zwAEIOI/kAAAG/ID/SGOiJAAAAAASUVORK5CYII=
rgb16.png|ff00000000ff0000fefe0000|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACEAIAAACtREYwAAAAGUlEQVR42mP4/58BCkCsFIaUfyeAdD0DAwBqewgJTQSt7wAAAABJRU5ErkJggg==
grey16.png|ff008000|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACEAAAAAAHTY67AAAAEElEQVR42mP4/5+BgaEBiAATeQL/gaAR0QAAAABJRU5ErkJggg==
grey1.png|ff0000ff|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACAQAAAABazTCJAAAADElEQVR42mNoYHAAAAHEAMGmm+a6AAAAAElFTkSuQmCC
grey4.png|ff0033cc|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACBAAAAACSLb/5AAAADElEQVR42mP4wGADAAMQAS23J2cdAAAAAElFTkSuQmCC
palette8.png|ff00000000ff0000ffff0000|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAMAAABFaP0WAAAABlBMVEX/AAAAAP9sof2OAAAADElEQVR42mNgYARCAAAMAAMVnhj8AAAAAElFTkSuQmCC
palette1.png|ff00000000ff0000ffff0000|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACAQMAAABIeJ9nAAAABlBMVEX/AAAAAP9sof2OAAAADElEQVR42mNwYGgAAAFEAMEEh8/6AAAAAElFTkSuQmCC
palette-transparent.png|ffffff7f7fff7f7fffffffff|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAMAAABFaP0WAAAABlBMVEX/AAAAAP9sof2OAAAAAnRSTlMAgJsrThgAAAAMSURBVHjaY2BgBEIAAAwAAxWeGPwAAAAASUVORK5CYII=
rgba.png|ffffff0000fff8f8ffff0000|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAFElEQVR42mP4zwAC/0HUf3Yg+R8AMQQGAsCDZ8YAAAAASUVORK5CYII=
grey-alpha.png|ff00fefd|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAQAAADYv8WvAAAAEklEQVR42mP4z8DwnyGKUY4JABCkAnr456/4AAAAAElFTkSuQmCC
interlaced.png|ff00000000ff0000ffff0000|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAGK06rlAAAAEUlEQVR42mP4zwACIPI/kAAAHPID/fgsOBsAAAAASUVORK5CYII=
animated.png|ff00000000ff0000ffff0000|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACGFjVEwAAAACAAAAAPONk3AAAAAaZmNUTAAAAAAAAAACAAAAAgAAAAAAAAAAAAEACgAA6FTcAAAAABFJREFUeNpj+M8ABCDiP5AAABvyA/0hjoiQAAAAGmZjVEwAAAABAAAAAgAAAAIAAAAAAAAAAAABAAoAAHMnNtQAAAAPZmRBVAAAAAJ4nGNgQAYAAA4AAS8wvi4AAAAASUVORK5CYII=
after-the-end.png|ff00000000ff0000ffff0000|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR42mP4zwAEIOI/kAAAG/ID/SGOiJAAAAAASUVORK5CYIJtb3Jl
png-named.jpg|ff00000000ff0000ffff0000|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR42mP4zwAEIOI/kAAAG/ID/SGOiJAAAAAASUVORK5CYII=
jpeg-named.png|c86432|/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2wBDAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAARCAAIAAgDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAUAQEAAAAAAAAAAAAAAAAAAAAJ/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8APivNg//Z
rgb.jpg|c86432|/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2wBDAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAARCAAIAAgDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAUAQEAAAAAAAAAAAAAAAAAAAAJ/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8APivNg//Z
progressive.jpg|c86432|/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2wBDAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wgARCAAIAAgDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABf/EABQBAQAAAAAAAAAAAAAAAAAAAAj/2gAMAwEAAhADEAAAATyu2P/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAQUCf//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQMBAT8Bf//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQIBAT8Bf//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEABj8Cf//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAT8hf//aAAwDAQACAAMAAAAQH//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQMBAT8Qf//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQIBAT8Qf//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAT8Qf//Z
grey.jpg|4d4d4d|/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AGd//2Q==
cmyk.jpg|ff0000ff0000|/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwABAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB/8AAFAgACAAIBEMRAE0RAFkRAEsRAP/EABUAAQEAAAAAAAAAAAAAAAAAAAoL/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAA4EQwBNAFkASwAAPwB/Cf8Ap/5/D//Z
empty.png|the file is empty, not a PNG or JPEG image (copy it again)|
text.png|is no PNG or JPEG image, it begins with "hello\x0a"|aGVsbG8K
cut-signature.png|is no PNG or JPEG image, it begins with "\x89PNG\x0d"|iVBORw0=
gif.png|is a GIF image, only PNG and JPEG images are read (convert it)|R0lGODlhAAAAAAAAAAAAAAAAAAAAAAAAAAA=
webp.png|is a WebP image, only PNG and JPEG images are read (convert it)|UklGRhAAAABXRUJQVlA4IA==
cut-header.png|damaged PNG image: the file ends early (copy it again)|iVBORw0KGgoAAAANSUhEUgAAAAI=
cut-pixels.png|damaged PNG image: the file ends early (copy it again)|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR42mP4zwAEIOI/kAAA
no-end.png|damaged PNG image: the file ends early (copy it again)|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR42mP4zwAEIOI/kAAAG/ID/SGOiJA=
crc.png|damaged PNG image: IDAT: incorrect data check (copy it again)|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR42mP4zgAEIOI/kAAAG/ID/SGOiJAAAAAASUVORK5CYII=
few-rows.png|damaged PNG image: Not enough image data (copy it again)|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAADUlEQVR42mP4zwAE/wEHAAH/PX2MSQAAAABJRU5ErkJggg==
no-pixels.png|damaged PNG image: IEND: out of place (copy it again)|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAAElFTkSuQmCC
no-palette.png|damaged PNG image: IDAT: Missing PLTE before IDAT (copy it again)|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAMAAABFaP0WAAAADElEQVR42mNgYARCAAAMAAMVnhj8AAAAAElFTkSuQmCC
index-beyond.png|damaged PNG image: a pixel has a colour beyond the palette's end (copy it again)|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAMAAABFaP0WAAAABlBMVEX/AAAAAP9sof2OAAAADklEQVR42mNg4GRgZAAAACwAC/VDgaoAAAAASUVORK5CYII=
depth3.png|damaged PNG image: Invalid IHDR data (copy it again)|iVBORw0KGgoAAAANSUhEUgAAAAIAAAACAwAAAAAgDWPpAAAADElEQVR42mNgYARCAAAMAAMVnhj8AAAAAElFTkSuQmCC
width0.png|an image of 2x0 pixels, height and width are 1 .. 8192 (make it smaller)|iVBORw0KGgoAAAANSUhEUgAAAAAAAAACCAAAAABTKILFAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg==
wide.png|an image of 2x100000 pixels, height and width are 1 .. 8192 (make it smaller)|iVBORw0KGgoAAAANSUhEUgABhqAAAAACCAAAAAD+gTunAAAADElEQVR42mNgYGAAAAAEAAHI6uv5AAAAAElFTkSuQmCC
bomb-header.png|an image of 8192x8192 pixels in 69 bytes, which cannot hold so many (copy it again)|iVBORw0KGgoAAAANSUhEUgAAIAAAACAACAIAAAD9yF0OAAAADElEQVR42mNgYGAAAAAEAAHI6uv5AAAAAElFTkSuQmCC
cut-header.jpg|damaged JPEG image: Premature end of JPEG file (copy it again)|/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEB
cut-tables.jpg|damaged JPEG image: Premature end of JPEG file (copy it again)|/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2wBDAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAARCAAIAAgDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAUAQEAAAAAAAAAAAAAAAAAAAAJ/8QAFBEBAAAAAAAAAAAAAAAAAAAAAA==
cut-pixels.jpg|damaged JPEG image: Premature end of JPEG file (copy it again)|/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2wBDAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAARCAAIAAgDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAUAQEAAAAAAAAAAAAAAAAAAAAJ/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8A
no-end.jpg|damaged JPEG image: Premature end of JPEG file (copy it again)|/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2wBDAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAARCAAIAAgDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAUAQEAAAAAAAAAAAAAAAAAAAAJ/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8APivNgw==
height0.jpg|damaged JPEG image: Empty JPEG image (DNL not supported) (copy it again)|/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2wBDAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAARCAAAAAgDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAUAQEAAAAAAAAAAAAAAAAAAAAJ/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8APivNg//Z
bits12.jpg|damaged JPEG image: Unsupported JPEG data precision 12 (copy it again)|/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2wBDAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAARDAAIAAgDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAUAQEAAAAAAAAAAAAAAAAAAAAJ/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8APivNg//Z
bad-huffman.jpg|damaged JPEG image: Bogus Huffman table definition (copy it again)|/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2wBDAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAARCAAIAAgDAREAAhEBAxEB/8QAFAD/////////////////////Bv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAUAQEAAAAAAAAAAAAAAAAAAAAJ/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8APivNg//Z
bomb-header.jpg|an image of 65500x65500 pixels, height and width are 1 .. 8192 (make it smaller)|/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2wBDAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAARCP/c/9wDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAUAQEAAAAAAAAAAAAAAAAAAAAJ/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8APivNg//Z
bomb-8192.jpg|an image of 8192x8192 pixels in 285 bytes, which cannot hold so many (copy it again)|/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2wBDAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAARCCAAIAADAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAUAQEAAAAAAAAAAAAAAAAAAAAJ/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8APivNg//Z
TABLE
}

mkdir -p good/red/ good/blue
while IFS='|' read -r name wanted bytes; do
  mkdir -p "files/$name/label"
  printf '%s' "$bytes" | base64 -d > "files/$name/label/$name"
done < <(table)
cp files/rgb8.png/label/rgb8.png good/red/1.png
cp files/cmyk.jpg/label/cmyk.jpg good/blue/1.jpg
vectorize -q --images good --resize 4x4 -o good.set || exit 1
cat > r.yaml << 'RECIPE'
name: r
model: {kind: vision, width: 8, heads: 2, feed_forward_width: 8, image_height: 4, image_width: 4, channels: 3, patch_size: 2, classes: 2,
  resizing: bilinear}
training: {epochs: 1, batch_sequences: 1}
RECIPE
train --recipe r.yaml --validation good.set -q -o model good.set > log || exit 1
rm log

# refused PATH MESSAGE: each tool says one line, ends with 1 and leaves what was there.
refused() {
  local path=$1 said=$2 status
  printf '%s\tlabel\n' "$path" > list.tsv
  echo old > out
  find . | sort > "$before"
  vectorize -q --images list.tsv --resize 4x4 -o out 2> err && fault "vectorize took $path"
  [ "$(cat err)" = "vectorize: $said" ] || fault "vectorize of $path: $(cat err)"
  [ "$(cat out)" = old ] || fault "vectorize of $path wrote over the old file"
  classify model good/red/1.png "$path" > labels 2> err
  status=$?
  [ "$status $(wc -l < labels) $(cat err)" = "1 1 classify: $said" ] || fault "classify of $path: $status: $(cat labels err)"
  printf 'good/red/1.png\n%s\ngood/red/1.png\n' "$path" | classify model > labels 2> err
  status=$?
  [ "$status $(wc -l < labels) $(cat err)" = "1 1 classify: standard input:2: $said" ] || fault "classify of the line $path: $status: $(cat labels err)"
  rm labels err
  find . | sort | cmp -s - "$before" || fault "files came or went with $path"
}
# taken PATH: each tool takes it.
taken() {
  printf '%s\tlabel\n' "$1" > list.tsv
  vectorize -q --images list.tsv --resize 4x4 -o set || fault "vectorize of $1"
  [ "$(echo "$1" | classify model | grep -cE '^(red|blue)')" = 1 ] || fault "classify of $1"
}

count=0
while IFS='|' read -r name wanted bytes; do
  count=$((count + 1))
  path=files/$name/label/$name
  if [[ $wanted =~ ^[0-9a-f]+$ ]]; then
    taken "$path"
    vectorize -q --images "files/$name" -o set || fault "vectorize of $name"
    pixels=$(tail -c $((${#wanted} / 2)) set | od -An -tx1 -v | tr -d ' \n')
    [ "$pixels" = "$wanted" ] || fault "$name: pixels $pixels, not $wanted"
  else
    refused "$path" "$path: $wanted"
  fi
done < <(table)
[ "$count" -gt 40 ] || fault "$count files"

# What is no file.
mkdir folder.png
mkfifo pipe.png
ln -s nowhere gone.png
ln -s loop.png loop.png
ln -s /dev/zero zero.png
refused gone.png 'gone.png: cannot open: no such file or directory'
refused loop.png 'loop.png: cannot open: too many levels of symbolic links'
refused pipe.png 'pipe.png: not a regular file'
refused zero.png 'zero.png: not a regular file'
echo folder.png | classify model 2> err && fault 'classify took a folder as a line'
[ "$(cat err)" = 'classify: standard input:1: folder.png: not a regular file (it is a directory)' ] || fault "classify of a folder: $(cat err)"
cp good/red/1.png folder.png
[ "$(classify model folder.png | wc -l)" = 1 ] || fault 'a folder with the name of an image'

# Memory: an image of 8192x8192 pixels in 65 kB, and 300 texts of 8 MB each packed into one file; both are images.
crc() { gzip -1nc "$1" | tail -c 8 | head -c 4 | od -An -tx1 | tr -d ' \n' | sed 's/\(..\)\(..\)\(..\)\(..\)/\\x\4\\x\3\\x\2\\x\1/'; }
four() { printf '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255)); }
chunk() { # TYPE FILE
  { printf '%s' "$1" && cat "$2"; } > chunk
  printf '%b' "$(four "$(wc -c < "$2")")"
  cat chunk
  printf '%b' "$(crc chunk)"
}
packed() { # COUNT CODE: so many bytes of this code as zlib packs them
  local n=$1 code=$2
  printf '\x78\xda'
  head -c "$n" /dev/zero | tr '\0' "\\$(printf '%o' "$code")" | gzip -9n | tail -c +11 | head -c -8
  printf '%b' "$(four $((((n + code * (n * (n + 1) / 2)) % 65521) << 16 | (1 + code * n) % 65521)))"
}
printf '\x89PNG\r\n\x1a\n' > signature
printf '\x00\x00\x20\x00\x00\x00\x20\x00\x08\x00\x00\x00\x00' > header
packed $((8192 * 8193)) 0 > pixels
: > nothing
{ cat signature && chunk IHDR header && chunk IDAT pixels && chunk IEND nothing; } > large.png
{ printf 'text\0\0' && packed 8000000 97; } > text
chunk zTXt text > text.chunk
{ head -c 33 good/red/1.png && for _ in {1..300}; do cat text.chunk; done && tail -c +34 good/red/1.png; } > texts.png
for image in large.png texts.png; do
  taken "$image"
  coproc classify model
  process=$COPROC_PID
  echo "$image" >&"${COPROC[1]}"
  read -r line <&"${COPROC[0]}"
  peak=$(awk '/^VmHWM:/ { print $2 }' "/proc/$process/status")
  eval "exec ${COPROC[1]}>&-"
  wait "$process"
  [[ $line == *.* && $peak -lt 500000 ]] || fault "classify of $image: $line, $peak KiB resident"
done
[ "$faults" = 0 ]
