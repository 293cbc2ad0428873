fifo.v
crc32.v
zero_split.v
zero_bitmap.v
byte_pack.v
