fifo.v
