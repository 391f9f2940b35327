import type { Vault } from '@notevault/protocol/vaults.ts';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../../data/keys.ts';
import { meQuery } from '../../data/queries.ts';
import { roleOf } from '../../data/role.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { useConfirm } from '../../ui/dialogs/confirm.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { CopyLink, InviteForm, useInvite } from './invite.tsx';
import { LinksDialog, type LinkTarget } from './links-dialog.tsx';
import { PersonRow } from './person-row.tsx';
import styles from './sharing.module.css';
import { membersQuery, sharing } from './sharing-api.ts';
import { WaitingList } from './waiting-list.tsx';

interface ShareDialogProps {
  readonly vault: Vault;
  /** The note that is open, which the dialog can make public; null without one. */
  readonly note: LinkTarget | null;
  readonly close: () => void;
}

/** The people of a vault. Its owner invites and removes them; members see who they are, and may leave. */
export function ShareDialog({ vault, note, close }: ShareDialogProps) {
  const t = useTexts('sharing');
  const { data: me } = useSuspenseQuery(meQuery);
  const { data } = useSuspenseQuery(membersQuery(vault.id));
  const inviting = useInvite(vault.id);
  const isOwner = roleOf(vault) === 'owner';
  const [isPublic, setPublic] = useState(false);
  const owner = vault.owner?.display_name ?? t('somebody');
  if (isPublic) return <LinksDialog vaultId={vault.id} target={note} close={close} />;
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
      {isOwner ? (
        <div className={styles.foot}>
          <Icon name="read" />
          <span>{t(note === null ? 'links.aboutAll' : 'links.aboutNote')}</span>
          <Button onClick={() => setPublic(true)}>{t(note === null ? 'links.all' : 'links.one')}</Button>
        </div>
      ) : null}
    </Dialog>
  );
}

/** Gives the vault up, after asking. */
function Leave({ vault, me, close }: Omit<ShareDialogProps, 'note'> & { readonly me: string }) {
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
