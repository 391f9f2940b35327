/** The save states that the state line can show. */
export type SaveWord =
  /** The server has acknowledged every edit as on its disk. */
  | 'saved'
  /** Edits are on their way to the server. */
  | 'saving'
  /** There is no connection; IndexedDB has confirmed every edit. */
  | 'offline-kept'
  /** There is no connection, and not every edit is known to be in IndexedDB. */
  | 'offline-not-saved'
  /** The server refuses these edits; the problem says why. */
  | 'cannot-save';

/** Why edits cannot be saved. */
export type SaveProblem =
  | 'foreign-lineage'
  | 'note-deleted'
  | 'note-too-large'
  | 'no-permission'
  /** The note does not exist or this account may not open it; the server does not say which. */
  | 'not-there'
  | 'signed-out'
  /** The server refused an edit; the note's history has the refused text. */
  | 'edit-refused'
  /** The server ended the document for a reason that this version does not know. */
  | 'ended';

/** Facts about the edits of one open note. */
export interface SaveFacts {
  /** Whether the document has been loaded, from the server or from this device. Until then no state is shown. */
  readonly isLoaded: boolean;
  /** Since when there is a connection, in milliseconds; null without one. */
  readonly connectedSince: number | null;
  /** Time of the oldest unacknowledged edit, in epoch milliseconds; null if all edits are acknowledged. */
  readonly unsentSince: number | null;
  /** Edits that IndexedDB has not confirmed yet. */
  readonly unkept: number;
  /** Whether IndexedDB can be used; false once a write failed, until one succeeds. */
  readonly isLocalUsable: boolean;
  readonly problem: SaveProblem | null;
  /** When the server last acknowledged every edit, in milliseconds; null if never in this session. */
  readonly savedAt: number | null;
}

export const NOTHING_KNOWN: SaveFacts = {
  isLoaded: false,
  connectedSince: null,
  unsentSince: null,
  unkept: 0,
  isLocalUsable: true,
  problem: null,
  savedAt: null,
};

/** Event that affects whether edits are safe. */
export type SaveEvent =
  /** The document was read from this device; `hasUnsent` if it may contain unacknowledged edits. */
  | { readonly type: 'loaded-locally'; readonly hasUnsent: boolean }
  /** The first sync finished: the document has everything from the server. */
  | { readonly type: 'connected' }
  | { readonly type: 'disconnected' }
  /** An edit was made here. */
  | { readonly type: 'edited' }
  /** The server acknowledged every edit as on disk. */
  | { readonly type: 'acknowledged' }
  /** A write to IndexedDB began. */
  | { readonly type: 'keeping' }
  /** IndexedDB confirmed a write. */
  | { readonly type: 'kept' }
  /** IndexedDB confirmed the whole document. */
  | { readonly type: 'kept-all' }
  /** IndexedDB refused a write, or cannot be used. */
  | { readonly type: 'not-kept' }
  | { readonly type: 'problem'; readonly problem: SaveProblem }
  /** The server accepts edits again: rights were restored, or the document was reopened. */
  | { readonly type: 'problem-gone' };

/** Returns the facts after an event, at a time in epoch milliseconds. */
export function reduceSave(facts: SaveFacts, event: SaveEvent, now: number): SaveFacts {
  switch (event.type) {
    case 'loaded-locally':
      return {
        ...facts,
        isLoaded: true,
        unsentSince: event.hasUnsent ? (facts.unsentSince ?? now) : facts.unsentSince,
      };
    case 'connected':
      return { ...facts, isLoaded: true, connectedSince: facts.connectedSince ?? now };
    case 'disconnected':
      return { ...facts, connectedSince: null };
    case 'edited':
      return { ...facts, unsentSince: facts.unsentSince ?? now };
    case 'acknowledged':
      return { ...facts, unsentSince: null, savedAt: now };
    case 'keeping':
      return { ...facts, unkept: facts.unkept + 1 };
    case 'kept':
      return { ...facts, unkept: Math.max(0, facts.unkept - 1), isLocalUsable: true };
    case 'kept-all':
      return { ...facts, unkept: 0, isLocalUsable: true };
    case 'not-kept':
      return { ...facts, isLocalUsable: false };
    case 'problem':
      return { ...facts, problem: event.problem };
    case 'problem-gone':
      return { ...facts, problem: null };
  }
}

/** Time without an acknowledgement after which a connection counts as stalled, in milliseconds. */
export const STALLED_MS = 10_000;

/** Content of the state line. */
export interface SaveState {
  /** Null before anything is loaded. */
  readonly word: SaveWord | null;
  readonly problem: SaveProblem | null;
  /**
   * Whether the line must stand out because edits could be lost. Without unsent edits it is quiet, connected or not.
   */
  readonly isLoud: boolean;
  readonly hasUnsent: boolean;
  /** Whether every edit is also on this device. */
  readonly isOnDevice: boolean;
  readonly isConnected: boolean;
  /** Whether the connection has stopped acknowledging edits and should be replaced. */
  readonly isStalled: boolean;
  readonly unsentSince: number | null;
  readonly savedAt: number | null;
}

/** Computes the save state at a time, in epoch milliseconds. */
export function saveState(facts: SaveFacts, now: number): SaveState {
  const { connectedSince, unsentSince, problem, savedAt } = facts;
  const hasUnsent = unsentSince !== null;
  const isOnDevice = facts.isLocalUsable && facts.unkept === 0;
  const waitsSince = connectedSince === null || unsentSince === null ? null : Math.max(connectedSince, unsentSince);
  const isStalled = problem === null && waitsSince !== null && now - waitsSince >= STALLED_MS;
  const word = wordOf(facts, isOnDevice, isStalled);
  return {
    word,
    problem,
    isLoud: hasUnsent && (word === 'offline-not-saved' || word === 'cannot-save'),
    hasUnsent,
    isOnDevice,
    isConnected: connectedSince !== null,
    isStalled,
    unsentSince,
    savedAt,
  };
}

function wordOf(facts: SaveFacts, isOnDevice: boolean, isStalled: boolean): SaveWord | null {
  if (facts.problem !== null) return 'cannot-save';
  if (!facts.isLoaded) return null;
  if (facts.unsentSince === null) return 'saved';
  if (facts.connectedSince !== null && !isStalled) return 'saving';
  return isOnDevice ? 'offline-kept' : 'offline-not-saved';
}

/** Returns the problem for the reason with which the server ended a document. */
export function problemOfEnd(reason: string): SaveProblem {
  switch (reason) {
    case 'foreign_lineage':
      return 'foreign-lineage';
    case 'note_deleted':
      return 'note-deleted';
    case 'note_too_large':
      return 'note-too-large';
    case 'permission-denied':
      return 'not-there';
    case 'revoked':
    case 'invalid_token':
      return 'signed-out';
    default:
      return 'ended';
  }
}
