/*
 * Limits of one process. At most `units` are in use at once, and `unitsPerTenant` by one tenant (an account, or the
 * network of a caller without one). Others wait; more than `waiting` are refused with 503. Limits that operators may
 * need to change are options in options.ts.
 */

const KB = 1024;
const MB = 1024 * KB;

/** Maximum number of requests of a tenant, from the first byte to the end of the answer. */
export const REQUESTS_PER_TENANT = 500;

/** Maximum number of requests in flight; more get 503. */
export const REQUESTS_IN_FLIGHT = 2000;

/** Requests that are handled at once. */
export const HANDLED_REQUESTS = { units: 128, unitsPerTenant: 32, waiting: 2000, waitingPerTenant: 500 };

/** Requests for public links that are handled at once, per network. */
export const PUBLIC_PAGES = { units: 32, unitsPerTenant: 16, waiting: 1000, waitingPerTenant: 500 };

/** Files of public links that are sent at once, per network: each is a request in flight for as long as it is read. */
export const PUBLIC_FILES = { units: 512, unitsPerTenant: 128, waiting: 0, waitingPerTenant: 0 };

/** Bytes of large answers that are made or sent: a slow reader holds its answer in memory. */
export const ANSWER_BYTES = { units: 96 * MB, unitsPerTenant: 32 * MB, waiting: 2000, waitingPerTenant: 500 };

/** Answers that are compressed at once: Node’s threads also hash passwords and read files. */
export const COMPRESSIONS = { units: 2, unitsPerTenant: 1, waiting: Infinity, waitingPerTenant: Infinity };

/** Bodies over 4 MB that are read and parsed at once: each takes several times its size in memory. */
export const LARGE_BODIES = { units: 3, unitsPerTenant: 2, waiting: 64, waitingPerTenant: 16 };

/** Bytes of bodies that have arrived and are not parsed yet. */
export const UNPARSED_BYTES = { total: 256 * MB, perTenant: 136 * MB };

/** Total body bytes of requests being handled. Waiting bodies are limited by `UNPARSED_BYTES`. */
export const HANDLED_BYTES = { units: 96 * MB, unitsPerTenant: 24 * MB, waiting: Infinity, waitingPerTenant: Infinity };

/** Streamed bodies that are received at once: each holds buffers, and a file or a connection. */
export const UPLOADS = { units: 32, unitsPerTenant: 8, waiting: 128, waitingPerTenant: 64 };

/** Downloads of clients that are sent at once, per network: each holds a file open. */
export const DOWNLOADS = { units: 32, unitsPerTenant: 8, waiting: 128, waitingPerTenant: 64 };

/** Passwords that are hashed at once: each takes 19 MiB, and one of four threads that file access needs too. */
export const PASSWORD_HASHES = { units: 2, unitsPerTenant: 2, waiting: 64, waitingPerTenant: 16 };

/** Calls of assistants that run at once, per credential. */
export const CALLS_PER_CREDENTIAL = 4;

/** Calls of assistants that run at once. The tenant is the credential. */
export const CALLS = { units: 512, unitsPerTenant: CALLS_PER_CREDENTIAL, waiting: 4096, waitingPerTenant: 256 };

/** Manifests, trees and pages of changes that are read at once: each holds a connection of the database. */
export const LIST_READS = { units: 4, unitsPerTenant: 2, waiting: 400, waitingPerTenant: 100 };

/** Searches that run or wait on the one search thread, each for some milliseconds. */
export const SEARCHES = { units: 8, unitsPerTenant: 2, waiting: 1000, waitingPerTenant: 100 };

/** Queries that are embedded at once: the embedder’s own queue does not know tenants, so it stays short. */
export const QUERY_EMBEDDINGS = { units: 2, unitsPerTenant: 1, waiting: 512, waitingPerTenant: 64 };

/** Calculations of a model at once: queries and passages take turns. */
export const MODEL_CALCULATIONS = { units: 1, unitsPerTenant: 1, waiting: Infinity, waitingPerTenant: Infinity };

/** Changes of all notes of a vault that run at once. */
export const VAULT_CHANGES = { units: 2, unitsPerTenant: 1, waiting: 100, waitingPerTenant: 5 };

/** Tasks that wait for a worker thread, and bytes of their input. */
export const WAITING_TASKS = { items: 256, weight: 128 * MB, itemsPerTenant: 16, weightPerTenant: 32 * MB };

/** Processor time in milliseconds of a task on a worker thread; then its thread is ended. */
export const TASK_CPU_MS = 2000;

/** Memory in MB of a worker thread: far more than valid input takes, because V8 cannot always end a thread in time. */
export const TASK_MEMORY_MB = 1024;

/** Notes, bytes of sealed text and links in a transaction that writes of a vault share. */
export const WRITE_GROUP = { notes: 16, bytes: 512 * KB, links: 500 };

/** Milliseconds that all sliced work together may block the event loop in one turn. */
export const SLICE_MS = 5;
