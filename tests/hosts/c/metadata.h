/* Metadata of the tools interface as fields `field=value`, each after a tab. */
#ifndef METADATA_H
#define METADATA_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No name or description is longer. */
enum { CAPACITY = 1 << 16 };

static FILE *file;

/* Replaces tabs and line ends, which separate fields and lines. */
static void put_text(const char *field, const char *text)
{
    fprintf(file, "\t%s=", field);
    for (; *text; text++) {
        if (*text == '\n')
            fputs("\\n", file);
        else if (*text == '\t')
            fputs("\\t", file);
        else if (*text == '\\')
            fputs("\\\\", file);
        else
            fputc(*text, file);
    }
}

static void put_number(const char *field, long value)
{
    fprintf(file, "\t%s=%ld", field, value);
}

static void put_type(MPI_Datatype type)
{
    /* Before MPI_Init, datatypes can only be compared; these are the permitted ones, and others that occur. */
    const struct {
        MPI_Datatype type;
        const char *name;
    } known[] = {
        {MPI_INT, "INT"},
        {MPI_UNSIGNED, "UNSIGNED"},
        {MPI_UNSIGNED_LONG, "UNSIGNED_LONG"},
        {MPI_UNSIGNED_LONG_LONG, "UNSIGNED_LONG_LONG"},
        {MPI_COUNT, "COUNT"},
        {MPI_CHAR, "CHAR"},
        {MPI_DOUBLE, "DOUBLE"},
        {MPI_LONG, "LONG"},
        {MPI_C_BOOL, "C_BOOL"},
        {MPI_BYTE, "BYTE"},
        {MPI_INT32_T, "INT32_T"},
        {MPI_UINT32_T, "UINT32_T"},
        {MPI_INT64_T, "INT64_T"},
        {MPI_UINT64_T, "UINT64_T"},
        {MPI_FLOAT, "FLOAT"},
        {MPI_DATATYPE_NULL, "NULL"},
    };
    const char *name = "OTHER";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (type == known[i].type) {
            name = known[i].name;
            break;
        }
    put_text("type", name);
}

/* Proves F3, F4: handles of enumerations differ from run to run, so an enumeration is written by its name and items. */
static void put_enum(MPI_T_enum values)
{
    static char name[CAPACITY];
    int items, length = CAPACITY;
    if (values == MPI_T_ENUM_NULL) {
        put_text("enum", "");
        return;
    }
    int rc = MPI_T_enum_get_info(values, &items, name, &length);
    if (rc != MPI_SUCCESS) {
        put_number("enum_rc", rc);
        return;
    }
    put_text("enum", name);
    put_number("items", items);
    for (int i = 0; i < items; i++) {
        int value;
        length = CAPACITY;
        rc = MPI_T_enum_get_item(values, i, &value, name, &length);
        if (rc != MPI_SUCCESS)
            put_number("item_rc", rc);
        else {
            put_number("value", value);
            put_text("item", name);
        }
    }
}

#endif
