# What a training run cost, from its log.csv, the table that train ended with, and what train --dry-run says of it.
#   awk -F , -v table=WORK/table.txt -v plan=WORK/plan.txt [-v patches=N] -f cost.awk WORK/model/log.csv      patches: of an image
function grouped(text) { # 12345.6 -> 12,345.6
  whole = text
  sub(/[.].*/, "", whole)
  rest = substr(text, length(whole) + 1)
  while (length(whole) > 3) {
    rest = "," substr(whole, length(whole) - 2) rest
    whole = substr(whole, 1, length(whole) - 3)
  }
  return whole rest
}
BEGIN {
  best = 0
  while ((getline line < table) > 0) {
    if (split(line, part, /  +/) < 2) { if (line == "") break; continue }
    value[part[1]] = part[2]
    if (part[1] == "validation_loss" && match(part[3], /epoch, [0-9]+/)) best = substr(part[3], RSTART + 7, RLENGTH - 7) + 0
  }
}
BEGIN { while ((getline line < plan) > 0) if (split(line, part, "\t") == 2 && part[1] == "bytes") value["bytes"] = part[2] }
NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
$column["epoch"] != epoch { ended += last; epoch = $column["epoch"]; last = 0 }
{
  last = $column["seconds"]
  if (epoch <= best) to_best = ended + last
}
END {
  printf "training       %s s: %d epoch%s", grouped(sprintf("%.1f", ended + last)), epoch, epoch == 1 ? "" : "s"
  if (best > 0 && best < epoch) printf "; %s s to the best one, %d", grouped(sprintf("%.1f", to_best)), best
  printf "\n"
  if ("tokens_a_second" in value) {
    if (patches > 0) { # of images, whose tokens they are
      gsub(",", "", value["tokens_a_second"])
      printf "speed          %s images/s, of %d patches each\n", grouped(sprintf("%.0f", value["tokens_a_second"] / patches)), patches
    } else {
      printf "speed          %s tokens/s, read and predicted\n", value["tokens_a_second"]
    }
  }
  if ("parameters" in value) printf "parameters     %s\n", value["parameters"]
  if ("bytes" in value) {
    printf "memory         %s MiB: parameters and gradients, optimizer, a step\n", grouped(sprintf("%.0f", value["bytes"] / 1048576))
  }
}
