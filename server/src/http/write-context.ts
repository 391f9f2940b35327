import type { OpenVault, Principal } from '../domains/access/access.ts';
import type { InTransaction } from '../domains/idempotency/idempotency.ts';

/** Makes the context of a write (principal, vault, device) for the operations of notes and attachments. */
export function writeContextOf<Result>(
  {
    vault,
    principal,
    device,
    agent,
  }: {
    readonly vault: OpenVault;
    readonly principal: Principal;
    readonly device: string | null;
    readonly agent: string | null;
  },
  inTransaction: InTransaction<Result>,
) {
  const { kind, name, userId } = principal;
  const actor = { kind, name, ...(agent === null ? {} : { client: agent }), userId };
  return { vault, actor, device, inTransaction };
}
