/* mpit_core_queries.h: enumerations, categories, sources and events. Part of mpit_core_mpi.h, which includes it. */

/* Enumerations. */

MPIT_CORE_FUNCTION(enum_get_info, (MPI_T_enum enumtype, int *num, char *name, int *name_len))
{
    if (!MPIT_CORE_IS_OWN(enumtype))
        return mpit_own_enum_get_info(enumtype, num, name, name_len);
    return mpit_core_code(mpit_core_enum_info(MPIT_CORE_ID(enumtype), num, name, name_len));
}

MPIT_CORE_FUNCTION(enum_get_item, (MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len))
{
    if (!MPIT_CORE_IS_OWN(enumtype))
        return mpit_own_enum_get_item(enumtype, indx, value, name, name_len);
    return mpit_core_code(mpit_core_enum_item(MPIT_CORE_ID(enumtype), indx, value, name, name_len));
}

/* Categories. */

MPIT_CORE_FUNCTION(category_get_info, (int cat_index, char *name, int *name_len, char *desc, int *desc_len, int *num_cvars,
                                       int *num_pvars, int *num_categories))
{
    int owner, index;
    MPIT_CORE_TRY(mpit_core_find(MPIT_CORE_CATEGORIES, cat_index, &owner, &index));
    if (owner == MPIT_CORE_LIBRARY)
        return mpit_own_category_get_info(index, name, name_len, desc, desc_len, num_cvars, num_pvars, num_categories);
    MPIT_CORE_CALL(mpit_core_category_info(index, name, name_len, desc, desc_len));
    MPIT_CORE_CALL(mpit_core_category_members(index, MPIT_CORE_CVARS, 0, 0, num_cvars));
    MPIT_CORE_CALL(mpit_core_category_members(index, MPIT_CORE_PVARS, 0, 0, num_pvars));
    return mpit_core_code(mpit_core_category_members(index, MPIT_CORE_CATEGORIES, 0, 0, num_categories));
}

MPIT_CORE_FUNCTION(category_get_num_events, (int cat_index, int *num_events))
{
    int owner, index;
    MPIT_CORE_TRY(mpit_core_find(MPIT_CORE_CATEGORIES, cat_index, &owner, &index));
    if (owner == MPIT_CORE_LIBRARY)
        return mpit_own_category_get_num_events(index, num_events);
    MPIT_CORE_NOT_NULL(num_events);
    return mpit_core_code(mpit_core_category_members(index, MPIT_CORE_EVENTS, 0, 0, num_events));
}

/* Returns the number of members of one of the library's own categories. */
static int mpit_core_own_members(int index, int kind, int *count)
{
    int counts[3] = {0, 0, 0};
    int code = kind == MPIT_CORE_EVENTS ? mpit_own_category_get_num_events(index, count)
                                        : mpit_own_category_get_info(index, 0, 0, 0, 0, &counts[MPIT_CORE_CVARS],
                                                                     &counts[MPIT_CORE_PVARS], &counts[MPIT_CORE_CATEGORIES]);
    if (kind != MPIT_CORE_EVENTS)
        *count = counts[kind];
    return code;
}

#define MPIT_CORE_MEMBERS(LIST, KIND)                                                                                 \
    MPIT_CORE_FUNCTION(category_get_##LIST, (int cat_index, int len, int indices[]))                                  \
    {                                                                                                                 \
        int owner, index, at, count;                                                                                  \
        MPIT_CORE_TRY(mpit_core_find(MPIT_CORE_CATEGORIES, cat_index, &owner, &index));                               \
        if (owner == MPIT_CORE_MPIT)                                                                                  \
            return mpit_core_code(mpit_core_category_members(index, KIND, len, indices, 0));                          \
        MPIT_CORE_TRY(mpit_core_own_members(index, KIND, &count));                                                    \
        MPIT_CORE_TRY(mpit_own_category_get_##LIST(index, len, indices));                                             \
        for (at = 0; indices && at < len && at < count; at++)                                                         \
            MPIT_CORE_CALL(mpit_core_merge(KIND, MPIT_CORE_LIBRARY, indices[at], &indices[at]));                      \
        return MPI_SUCCESS;                                                                                           \
    }
MPIT_CORE_MEMBERS(cvars, MPIT_CORE_CVARS)
MPIT_CORE_MEMBERS(pvars, MPIT_CORE_PVARS)
MPIT_CORE_MEMBERS(categories, MPIT_CORE_CATEGORIES)
MPIT_CORE_MEMBERS(events, MPIT_CORE_EVENTS)

MPIT_CORE_FUNCTION(category_changed, (int *update_number))
{
    int own;
    MPIT_CORE_TRY(mpit_own_category_changed(&own));
    MPIT_CORE_NOT_NULL(update_number);
    return mpit_core_code(mpit_core_update_number(own, update_number));
}

/* Sources. */

/* Returns an info object without hints, as there are none for entries of libmpit_core. */
static int mpit_core_no_hints(MPI_Info *info)
{
    return !info || PMPI_Info_create(info) == MPI_SUCCESS ? MPI_SUCCESS : MPI_T_ERR_MEMORY;
}

MPIT_CORE_FUNCTION(source_get_info, (int source_index, char *name, int *name_len, char *desc, int *desc_len,
                                     MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks,
                                     MPI_Info *info))
{
    int owner, index;
    struct mpit_core_source source;
    MPIT_CORE_TRY(mpit_core_find(MPIT_CORE_SOURCES, source_index, &owner, &index));
    if (owner == MPIT_CORE_LIBRARY)
        return mpit_own_source_get_info(index, name, name_len, desc, desc_len, ordering, ticks_per_second, max_ticks, info);
    MPIT_CORE_CALL(mpit_core_source_info(index, name, name_len, desc, desc_len, &source));
    MPIT_CORE_SET(ordering, source.order == MPIT_SOURCE_ORDERED ? MPI_T_SOURCE_ORDERED : MPI_T_SOURCE_UNORDERED);
    MPIT_CORE_SET(ticks_per_second, (MPI_Count)source.ticks_per_second);
    MPIT_CORE_SET(max_ticks, (MPI_Count)source.max_ticks);
    return mpit_core_no_hints(info);
}

MPIT_CORE_FUNCTION(source_get_timestamp, (int source_index, MPI_Count *timestamp))
{
    int owner, index;
    int64_t time;
    MPIT_CORE_TRY(mpit_core_find(MPIT_CORE_SOURCES, source_index, &owner, &index));
    if (owner == MPIT_CORE_LIBRARY)
        return mpit_own_source_get_timestamp(index, timestamp);
    MPIT_CORE_NOT_NULL(timestamp);
    MPIT_CORE_CALL(mpit_core_source_timestamp(index, &time));
    *timestamp = (MPI_Count)time;
    return MPI_SUCCESS;
}

/* Event types and registrations. */

MPIT_CORE_FUNCTION(event_get_info, (int event_index, char *name, int *name_len, int *verbosity,
                                    MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[], int *num_elements,
                                    MPI_T_enum *enumtype, MPI_Info *info, char *desc, int *desc_len, int *bind))
{
    enum { MOST = 256 }; /* An event has at most so many bytes. */
    int owner, index, at, has_arrays = (array_of_datatypes || array_of_displacements) && num_elements;
    int capacity = has_arrays ? (*num_elements < MOST ? *num_elements : MOST) : 0, datatypes[MOST];
    ptrdiff_t displacements[MOST];
    struct mpit_core_event event;
    MPIT_CORE_TRY(mpit_core_find(MPIT_CORE_EVENTS, event_index, &owner, &index));
    if (owner == MPIT_CORE_LIBRARY)
        return mpit_own_event_get_info(index, name, name_len, verbosity, array_of_datatypes, array_of_displacements, num_elements,
                                       enumtype, info, desc, desc_len, bind);
    MPIT_CORE_CALL(mpit_core_event_info(index, name, name_len, desc, desc_len, &event, datatypes, displacements, capacity));
    for (at = 0; at < capacity && at < event.num_elements; at++) {
        if (array_of_datatypes)
            array_of_datatypes[at] = mpit_core_datatype(datatypes[at]);
        if (array_of_displacements)
            array_of_displacements[at] = (MPI_Aint)displacements[at];
    }
    MPIT_CORE_SET(num_elements, event.num_elements);
    MPIT_CORE_SET(verbosity, MPIT_CORE_AT(mpit_core_verbosities, event.verbosity));
    MPIT_CORE_SET(enumtype, MPI_T_ENUM_NULL);
    MPIT_CORE_SET(bind, MPIT_CORE_AT(mpit_core_binds, event.bind));
    return mpit_core_no_hints(info);
}

MPIT_CORE_FUNCTION(event_handle_alloc, (int event_index, void *obj_handle, MPI_Info info,
                                        MPI_T_event_registration *event_registration))
{
    int owner, index, sources;
    uint64_t id;
    struct mpit_core_event event;
    struct mpit_object object;
    MPIT_CORE_TRY(mpit_core_find(MPIT_CORE_EVENTS, event_index, &owner, &index));
    /* Callbacks, which take no lock, find the sources that are merged now. */
    MPIT_CORE_TRY(PMPI_T_source_get_num(&sources));
    if (owner == MPIT_CORE_LIBRARY)
        return mpit_own_event_handle_alloc(index, obj_handle, info, event_registration);
    MPIT_CORE_NOT_NULL(event_registration);
    MPIT_CORE_CALL(mpit_core_event_info(index, 0, 0, 0, 0, &event, 0, 0, 0));
    MPIT_CORE_TRY(mpit_core_object_of(event.bind, obj_handle, &object));
    MPIT_CORE_CALL(mpit_core_event_handle_alloc(index, &object, &id));
    *event_registration = MPIT_CORE_HANDLE(MPI_T_event_registration, id);
    return MPI_SUCCESS;
}

/* Checks a registration of libmpit_core and, unless `safety` is null, that it has a callback of that level. */
static int mpit_core_check(MPI_T_event_registration registration, const MPI_T_cb_safety *safety)
{
    int level = safety ? mpit_core_safety(*safety) : 0, is_set;
    if (level < 0)
        return MPI_T_ERR_INVALID;
    MPIT_CORE_CALL(mpit_core_event_has_callback(MPIT_CORE_ID(registration), level, &is_set));
    return safety && !is_set ? MPI_T_ERR_INVALID : MPI_SUCCESS;
}

MPIT_CORE_FUNCTION(event_handle_set_info, (MPI_T_event_registration event_registration, MPI_Info info))
{
    if (!MPIT_CORE_IS_OWN(event_registration))
        return mpit_own_event_handle_set_info(event_registration, info);
    return mpit_core_check(event_registration, 0);
}

MPIT_CORE_FUNCTION(event_handle_get_info, (MPI_T_event_registration event_registration, MPI_Info *info_used))
{
    if (!MPIT_CORE_IS_OWN(event_registration))
        return mpit_own_event_handle_get_info(event_registration, info_used);
    MPIT_CORE_NOT_NULL(info_used);
    MPIT_CORE_TRY(mpit_core_check(event_registration, 0));
    return mpit_core_no_hints(info_used);
}

MPIT_CORE_FUNCTION(event_register_callback, (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                                             MPI_Info info, void *user_data, MPI_T_event_cb_function event_cb_function))
{
    void *function;
    if (!MPIT_CORE_IS_OWN(event_registration))
        return mpit_own_event_register_callback(event_registration, cb_safety, info, user_data, event_cb_function);
    *(MPI_T_event_cb_function **)&function = event_cb_function;
    return mpit_core_code(mpit_core_event_register_callback(MPIT_CORE_ID(event_registration), mpit_core_safety(cb_safety),
                                                            function, user_data));
}

MPIT_CORE_FUNCTION(event_callback_set_info, (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                                             MPI_Info info))
{
    if (!MPIT_CORE_IS_OWN(event_registration))
        return mpit_own_event_callback_set_info(event_registration, cb_safety, info);
    return mpit_core_check(event_registration, &cb_safety);
}

MPIT_CORE_FUNCTION(event_callback_get_info, (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                                             MPI_Info *info_used))
{
    if (!MPIT_CORE_IS_OWN(event_registration))
        return mpit_own_event_callback_get_info(event_registration, cb_safety, info_used);
    MPIT_CORE_NOT_NULL(info_used);
    MPIT_CORE_TRY(mpit_core_check(event_registration, &cb_safety));
    return mpit_core_no_hints(info_used);
}

MPIT_CORE_FUNCTION(event_handle_free, (MPI_T_event_registration event_registration, void *user_data,
                                       MPI_T_event_free_cb_function free_cb_function))
{
    void *function;
    if (!MPIT_CORE_IS_OWN(event_registration))
        return mpit_own_event_handle_free(event_registration, user_data, free_cb_function);
    *(MPI_T_event_free_cb_function **)&function = free_cb_function;
    return mpit_core_code(mpit_core_event_handle_free(MPIT_CORE_ID(event_registration), user_data, function));
}

MPIT_CORE_FUNCTION(event_set_dropped_handler, (MPI_T_event_registration event_registration,
                                               MPI_T_event_dropped_cb_function dropped_cb_function))
{
    void *function;
    if (!MPIT_CORE_IS_OWN(event_registration))
        return mpit_own_event_set_dropped_handler(event_registration, dropped_cb_function);
    *(MPI_T_event_dropped_cb_function **)&function = dropped_cb_function;
    return mpit_core_code(mpit_core_event_set_dropped_handler(MPIT_CORE_ID(event_registration), function));
}

/* Instances. */

MPIT_CORE_FUNCTION(event_read, (MPI_T_event_instance event_instance, int element_index, void *buffer))
{
    if (!MPIT_CORE_IS_OWN(event_instance))
        return mpit_own_event_read(event_instance, element_index, buffer);
    return mpit_core_code(mpit_core_event_read(MPIT_CORE_ID(event_instance), element_index, buffer));
}

MPIT_CORE_FUNCTION(event_copy, (MPI_T_event_instance event_instance, void *buffer))
{
    if (!MPIT_CORE_IS_OWN(event_instance))
        return mpit_own_event_copy(event_instance, buffer);
    return mpit_core_code(mpit_core_event_copy(MPIT_CORE_ID(event_instance), buffer));
}

MPIT_CORE_FUNCTION(event_get_timestamp, (MPI_T_event_instance event_instance, MPI_Count *event_timestamp))
{
    int64_t time;
    if (!MPIT_CORE_IS_OWN(event_instance))
        return mpit_own_event_get_timestamp(event_instance, event_timestamp);
    MPIT_CORE_NOT_NULL(event_timestamp);
    MPIT_CORE_CALL(mpit_core_event_timestamp(MPIT_CORE_ID(event_instance), &time));
    *event_timestamp = (MPI_Count)time;
    return MPI_SUCCESS;
}

MPIT_CORE_FUNCTION(event_get_source, (MPI_T_event_instance event_instance, int *source_index))
{
    if (!MPIT_CORE_IS_OWN(event_instance)) {
        int own;
        MPIT_CORE_TRY(mpit_own_event_get_source(event_instance, &own));
        return mpit_core_code(mpit_core_merge(MPIT_CORE_SOURCES, MPIT_CORE_LIBRARY, own, source_index));
    }
    return mpit_core_code(mpit_core_event_source(MPIT_CORE_ID(event_instance), source_index));
}
