import type { InTransaction } from '../idempotency/idempotency.ts';
import type { OpenVault } from '../vaults/vaults.ts';

/** Whose credential made it. */
export interface Actor {
  readonly kind: string;
  readonly name: string;
}

/** In whose name, into which vault and from which device is written. `Result` is what the operation answers. */
export interface WriteContext<Result = never> {
  readonly vault: OpenVault;
  readonly actor: Actor;
  /** `X-Device-Id`, or null. */
  readonly device: string | null;
  /** Awaited last in the operation's transaction, also when there was nothing to change. */
  readonly inTransaction?: InTransaction<Result>;
}
