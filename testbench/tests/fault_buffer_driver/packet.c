/* Decodes replayable-fault packets of 32 bytes as a driver would: eight words of 32 bits, and the positions of the fields
 * in them, which are those of NVIDIA's public class headers. Reads packets from the standard input and prints a line of
 * decimal fields for each. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

/* A field of a packet: bits high to low of a word. */
static uint32_t field(const uint32_t packet[8], int word, int high, int low)
{
    uint32_t mask = high - low == 31 ? UINT32_MAX : (UINT32_C(1) << (high - low + 1)) - 1;
    return packet[word] >> low & mask;
}

/* What lies in the low and the high word of a number of 64 bits; bits below `low` are no part of it. */
static uint64_t wide(const uint32_t packet[8], int word, int low)
{
    uint64_t bits = (uint64_t)packet[word + 1] << 32 | packet[word];
    return bits >> low << low;
}

int main(void)
{
    uint32_t packet[8];
    while (fread(packet, sizeof packet, 1, stdin) == 1) {
        uint64_t instance = wide(packet, 0, 12);
        uint64_t address = wide(packet, 2, 12);
        uint64_t timestamp = wide(packet, 4, 0);
        printf("%" PRIu32 " %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu64, field(packet, 0, 9, 8), instance,
            field(packet, 2, 1, 0), address, timestamp);
        printf(" %" PRIu32, field(packet, 6, 8, 0));   /* engine */
        printf(" %" PRIu32, field(packet, 7, 4, 0));   /* fault type */
        printf(" %" PRIu32, field(packet, 7, 7, 7));   /* replayable */
        printf(" %" PRIu32, field(packet, 7, 14, 8));  /* client */
        printf(" %" PRIu32, field(packet, 7, 19, 16)); /* access type */
        printf(" %" PRIu32, field(packet, 7, 20, 20)); /* type of client: GPC or HUB */
        printf(" %" PRIu32, field(packet, 7, 28, 24)); /* GPC */
        printf(" %" PRIu32, field(packet, 7, 29, 29)); /* protected mode */
        printf(" %" PRIu32, field(packet, 7, 30, 30)); /* replayable faults are enabled */
        printf(" %" PRIu32 "\n", field(packet, 7, 31, 31)); /* VALID */
    }
    return 0;
}
