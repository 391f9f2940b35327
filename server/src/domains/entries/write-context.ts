import type { InTransaction } from '../idempotency/idempotency.ts';
import type { OpenVault } from '../vaults/vaults.ts';

/** The credential that made the write. */
export interface Actor {
  readonly kind: string;
  readonly name: string;
  /** For a write of an assistant: what its program calls itself, which nobody has verified. */
  readonly client?: string;
}

/** The principal, vault and device of a write. `Result` is the result of the operation. */
export interface WriteContext<Result = never> {
  readonly vault: OpenVault;
  readonly actor: Actor;
  /** `X-Device-Id`, or null. */
  readonly device: string | null;
  /** Awaited last in the operation's transaction, even when there was nothing to change. */
  readonly inTransaction?: InTransaction<Result>;
}
