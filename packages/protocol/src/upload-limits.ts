import { GB, KB, MB } from './values/byte-units.ts';

// Apart from the schemas, so that a plugin need not load those for a limit.

/** The version of the protocol for uploads in slices (https://tus.io/protocols/resumable-upload). */
export const TUS_VERSION = '1.0.0';
/** Most bytes of a slice with a checksum: until the checksum is known, none of them counts as received. */
export const CHECKED_SLICE_MAX = 16 * MB;
/** Fewest bytes of a slice that is not the last one. */
export const SLICE_MIN = 256 * KB;
/** The parts in which the server stores what arrives. */
export const PART_BYTES = 8 * MB;
/** Most bytes that an account may have announced where its plan has no cap. */
export const ANNOUNCED_MAX = 10 * GB;
/** Most uploads that an account has open. */
export const OPEN_UPLOADS_MAX = 16;
