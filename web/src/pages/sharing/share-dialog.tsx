import type { Vault } from '@notevault/protocol/vaults.ts';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { keys } from '../../data/keys.ts';
import { meQuery } from '../../data/queries.ts';
import { roleOf } from '../../data/role.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useConfirm } from '../../ui/dialogs/confirm.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { CopyLink, InviteForm, useInvite } from './invite.tsx';
import { PersonRow } from './person-row.tsx';
import styles from './sharing.module.css';
import { membersQuery, sharing } from './sharing-api.ts';
import { WaitingList } from './waiting-list.tsx';

interface ShareDialogProps {
  readonly vault: Vault;
  readonly close: () => void;
}

/** The people of a vault. Its owner invites and removes them; members see who they are, and may leave. */
export function ShareDialog({ vault, close }: ShareDialogProps) {
  const t = useTexts('sharing');
  const { data: me } = useSuspenseQuery(meQuery);
  const { data } = useSuspenseQuery(membersQuery(vault.id));
  const inviting = useInvite(vault.id);
  const isOwner = roleOf(vault) === 'owner';
  const owner = vault.owner?.display_name ?? t('somebody');
  return (
    <Dialog title={t(isOwner ? 'title' : 'people', { name: vault.name })} close={close}>
      <p className={styles.about}>{isOwner ? t('about') : t('aboutShared', { name: owner })}</p>
      {isOwner ? <InviteForm inviting={inviting} /> : null}
      <ul className={styles.people} aria-label={t('members')}>
        {data.members.map((person) => (
          <PersonRow key={person.user_id} vault={vault} person={person} isMe={person.user_id === me.id} />
        ))}
      </ul>
      {data.invitations === undefined ? null : <WaitingList vaultId={vault.id} invitations={data.invitations} />}
      {isOwner ? <CopyLink inviting={inviting} /> : <Leave vault={vault} me={me.id} close={close} />}
    </Dialog>
  );
}

/** Gives the vault up, after asking. */
function Leave({ vault, me, close }: ShareDialogProps & { readonly me: string }) {
  const t = useTexts('sharing');
  const confirm = useConfirm();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leaving = useChange(() => sharing.remove(vault.id, me), keys.members(vault.id));
  const leave = () =>
    leaving.mutate(undefined, {
      onSuccess: async () => {
        close();
        // The page of the vault goes before the vault does.
        await navigate({ to: '/settings/vaults' });
        await queries.invalidateQueries({ queryKey: keys.vaults });
      },
    });
  return (
    <div className={styles.foot}>
      <Button
        look="danger"
        onClick={() =>
          confirm.ask({
            title: t('leaveTitle', { name: vault.name }),
            text: t('leaveText'),
            yes: t('leave'),
            run: leave,
          })
        }
      >
        {t('leave')}
      </Button>
      {confirm.dialog}
    </div>
  );
}
