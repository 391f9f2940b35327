import type { Readable } from 'node:stream';
import { Places } from './places.ts';

/** How many bodies are taken in at once, and how many may wait for that. */
export interface UploadBounds {
  readonly atOnce: number;
  readonly waiting: number;
  /** Of one account: a few slow lines must not keep everybody else out. */
  readonly atOnceOfOne: number;
  readonly waitingOfOne: number;
}

export const UPLOAD_BOUNDS: UploadBounds = { atOnce: 32, waiting: 128, atOnceOfOne: 8, waitingOfOne: 64 };

interface Account {
  readonly places: Places;
  users: number;
}

/** Places for bodies that are read as they come: each holds buffers, a file or a connection while it lasts. */
export class UploadPlaces {
  readonly #bounds: UploadBounds;
  readonly #all: Places;
  readonly #accounts = new Map<string, Account>();

  constructor(bounds: UploadBounds = UPLOAD_BOUNDS) {
    this.#bounds = bounds;
    this.#all = new Places(bounds.atOnce, bounds.waiting);
  }

  /** Bodies that have a place or wait for one. */
  get users(): number {
    return this.#accounts.values().reduce((sum, { users }) => sum + users, 0);
  }

  /**
   * Runs `work` in a place; until there is one, nothing of the body is read. Throws `unavailable` when too many wait,
   * `bad_request` when the client hangs up meanwhile.
   */
  async within<Result>(accountId: string, body: Readable, work: () => Promise<Result>): Promise<Result> {
    const { atOnceOfOne, waitingOfOne } = this.#bounds;
    const account = this.#accounts.get(accountId) ?? { places: new Places(atOnceOfOne, waitingOfOne), users: 0 };
    this.#accounts.set(accountId, account);
    account.users += 1;
    try {
      return await inPlace(account.places, body, () => inPlace(this.#all, body, work));
    } finally {
      account.users -= 1;
      if (account.users === 0) this.#accounts.delete(accountId);
    }
  }
}

async function inPlace<Result>(places: Places, body: Readable, work: () => Promise<Result>): Promise<Result> {
  await places.enter(body);
  try {
    return await work();
  } finally {
    places.leave();
  }
}
