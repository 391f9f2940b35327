import type { Member } from '@notevault/protocol/members.ts';
import type { Vault } from '@notevault/protocol/vaults.ts';
import { useQueryClient } from '@tanstack/react-query';
import { keys } from '../../data/keys.ts';
import { roleOf } from '../../data/role.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { colorOf } from '../../platform/people.ts';
import { Avatar } from '../../ui/controls/avatar.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { Menu } from '../../ui/controls/menu.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { useConfirm } from '../../ui/dialogs/confirm.tsx';
import styles from './sharing.module.css';
import { sharing } from './sharing-api.ts';

interface PersonRowProps {
  readonly vault: Vault;
  readonly person: Member;
  readonly isMe: boolean;
}

const ROLES = ['viewer', 'editor'] as const;

/** Row of a member; the owner can change their role. */
export function PersonRow({ vault, person, isMe }: PersonRowProps) {
  const t = useTexts('sharing');
  const { display_name, email, role, user_id } = person;
  const inVault = useTexts('vault');
  const shown = display_name ?? inVault('shared.noName');
  // For its owner, people without a name are told apart by their address.
  const name = display_name ?? email ?? shown;
  const canChange = roleOf(vault) === 'owner' && role !== 'owner';
  const list = keys.members(vault.id);
  const changing = useChange((next: Member['role']) => sharing.changeRole(vault.id, user_id, next), list);
  return (
    <li className={styles.person}>
      <Avatar name={shown} color={colorOf(user_id)} />
      <span className={styles.who}>
        <span dir="auto">{isMe ? t('you', { name: shown }) : shown}</span>
        {email === undefined ? null : <small dir="auto">{email}</small>}
      </span>
      {canChange ? (
        <>
          <Select
            aria-label={t('roleOf', { name })}
            value={role}
            disabled={changing.isPending}
            onChange={({ target }) => changing.mutate(target.value === 'editor' ? 'editor' : 'viewer')}
          >
            {ROLES.map((one) => (
              <option key={one} value={one}>
                {t(`role.${one}`)}
              </option>
            ))}
          </Select>
          <PersonMenu vault={vault} person={person} name={name} />
        </>
      ) : (
        <span className={styles.role}>{t(`role.${role}`)}</span>
      )}
    </li>
  );
}

/** Menu of a member. Removing them or making them the owner asks for confirmation. */
function PersonMenu({ vault, person, name }: Omit<PersonRowProps, 'isMe'> & { readonly name: string }) {
  const t = useTexts('sharing');
  const confirm = useConfirm();
  const queries = useQueryClient();
  const shown = keys.members(vault.id);
  const removing = useChange(() => sharing.remove(vault.id, person.user_id), shown, t('removed', { name }));
  const handing = useChange(
    () => sharing.changeRole(vault.id, person.user_id, 'owner'),
    shown,
    t('handedOver', { name }),
  );
  // Which vaults are one’s own changes with it, and how many have members.
  const read = { onSuccess: () => void queries.invalidateQueries({ queryKey: keys.vaults }) };
  const named = { name, vault: vault.name };
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button look="quiet" isIcon aria-label={t('more', { name })}>
            <Icon name="more" />
          </Button>
        }
        items={[
          {
            id: 'hand-over',
            label: t('handOver'),
            icon: 'vault',
            run: () =>
              confirm.ask({
                title: t('handOverTitle', named),
                text: t('handOverText', named),
                yes: t('handOverYes'),
                run: () => handing.mutate(undefined, read),
              }),
          },
          {
            id: 'remove',
            label: t('remove'),
            icon: 'trash',
            isDangerous: true,
            beginsGroup: true,
            run: () =>
              confirm.ask({
                title: t('removeTitle', named),
                text: t('removeText', named),
                yes: t('removeYes'),
                run: () => removing.mutate(undefined, read),
              }),
          },
        ]}
      />
      {confirm.dialog}
    </>
  );
}
