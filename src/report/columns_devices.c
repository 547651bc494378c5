/* columns_devices: what devices loaded and stored, in the network model that knows (has_loads). */
#include "report/columns.h"

enum { DEVICES_FILE = 1, DEVICES = 2, ALL = 3 };

#define DEVICE(member) NADI_MEMBER(nadi_device_result, member)

NADI_ROW_GETTER(
    slowed, nadi_cell_u64(nadi_result_rank(row->of->r, (uint32_t)row->index)->compute_slowed_ns));

static const struct nadi_column columns[] = {
    {"rank", ALL, .key = DEVICES, NADI_GET(U64, nadi_cell_row_number),
     .meaning = "the rank whose device it is"},
    {"lines", ALL, DEVICE(lines), .meaning = "that its SMs or copy engines stored or loaded"},
    {"data_bytes", ALL, DEVICE(data_bytes), .meaning = "that they carried"},
    {"wire_bytes", ALL, DEVICE(wire_bytes),
     .meaning = "that it put on links, with flags, headers, requests and acknowledgements"},
    {"flags", ALL, DEVICE(flags), .meaning = "that it sent by themselves"},
    {"stalled_ns", ALL, DEVICE(stalled_ns),
     .meaning = "of all its SMs or engines together: lines left, but no request"},
    {"simple", ALL, DEVICE(simple), .meaning = "messages that it sent with protocol simple"},
    {"ll", ALL, DEVICE(ll), .meaning = "with protocol ll"},
    {"ll128", ALL, DEVICE(ll128), .meaning = "with protocol ll128"},
    {"compute_slowed_ns", ALL, NADI_GET(U64, slowed),
     .meaning = "of its computations together: beyond their own times, because copy kernels held "
                "SMs"},
};

static void put(struct nadi_rows *rows)
{
    for (uint32_t i = 0; i < rows->of->r->device_count; i++)
        nadi_rows_item(rows, &rows->of->r->devices[i], i);
}

const struct nadi_result_view nadi_view_devices_csv = {
    NADI_VIEW_CSV,
    "devices.csv",
    "a device; only with the network model loadstore",
    NADI_COLUMNS(columns),
    DEVICES_FILE,
    .put = put,
    .title = "Devices that load and store"};

const struct nadi_result_view nadi_view_devices = {
    NADI_VIEW_DATABASE,    "devices", "a device; only with the network model loadstore",
    NADI_COLUMNS(columns), DEVICES,   .put = put};
