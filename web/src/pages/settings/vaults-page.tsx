import type { UpdateVaultBody, Vault } from '@notevault/protocol/vaults.ts';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import i18next from 'i18next';
import { lazy, Suspense, useState } from 'react';
import { keys } from '../../data/keys.ts';
import { deletedVaultsQuery, vaultsQuery } from '../../data/queries.ts';
import { ownFirst, roleOf } from '../../data/role.ts';
import { loadTexts } from '../../i18n/i18n.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { useWindowTitle } from '../../page/page.tsx';
import { sharedText } from '../../page/shared-text.ts';
import { useChange } from '../../page/use-change.ts';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { useConfirm } from '../../ui/dialogs/confirm.tsx';
import { Dialog, DialogButtons } from '../../ui/dialogs/dialog.tsx';
import { ExportDialog } from '../export/export-dialog.tsx';
import lists from '../lists/lists.module.css';
import { PublicLinks } from '../sharing/public-links.tsx';
import styles from './settings.module.css';
import { vaultsApi } from './settings-api.ts';

const ShareDialog = lazy(async () => {
  const load = importOrReload(() => import('../sharing/share-dialog.tsx'));
  const [module] = await Promise.all([load, loadTexts('sharing')]);
  return { default: module.ShareDialog };
});

/** All vaults: making, renaming, deleting and restoring one’s own, and those that are shared with the account. */
export function VaultsPage() {
  const t = useTexts('settings');
  const { data: vaults } = useSuspenseQuery(vaultsQuery);
  const { data: deleted } = useSuspenseQuery(deletedVaultsQuery);
  useWindowTitle(t('vaults.title'));
  return (
    <>
      <h1>{t('vaults.title')}</h1>
      <ul className={lists.rows}>
        {ownFirst(vaults).map((vault) => (
          <VaultRow key={vault.id} vault={vault} />
        ))}
      </ul>
      <NewVault />
      {deleted.length === 0 ? null : (
        <section className={styles.section} aria-labelledby="deleted">
          <h2 id="deleted">{t('vaults.deleted')}</h2>
          <ul className={lists.rows}>
            {deleted.map((vault) => (
              <DeletedVault key={vault.id} vault={vault} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function VaultRow({ vault }: { readonly vault: Vault }) {
  const t = useTexts('settings');
  const [isEdited, setEdited] = useState(false);
  const [isExported, setExported] = useState(false);
  const [isShared, setShared] = useState(false);
  const [isPublic, setPublic] = useState(false);
  const confirm = useConfirm();
  const deleting = useChange(vaultsApi.delete, keys.vaults);
  const promoting = useChange((id: string) => vaultsApi.update(id, { is_default: true }), keys.vaults);
  const { id, name, description, is_default, note_count, attachment_count, members } = vault;
  const tVault = useTexts('vault');
  const role = roleOf(vault);
  const ask = () =>
    confirm.ask({
      title: t('vaults.deleteTitle', { name }),
      text: t('vaults.deleteText'),
      yes: t('vaults.delete'),
      run: () => deleting.mutate(id),
    });
  return (
    <li className={lists.row}>
      <span className={lists.name} dir="auto">
        <Link to="/vaults/$vaultId" params={{ vaultId: id }}>
          {name}
        </Link>{' '}
        {is_default ? <span className={styles.badge}>{t('vaults.default')}</span> : null}
      </span>
      <span className={lists.buttons}>
        <Button
          aria-label={`${t(role === 'owner' ? 'vaults.share' : 'vaults.people')} ${name}`}
          onClick={() => setShared(true)}
        >
          {t(role === 'owner' ? 'vaults.share' : 'vaults.people')}
        </Button>
        {role === 'viewer' ? null : (
          <Link
            to="/vaults/$vaultId/import"
            params={{ vaultId: id }}
            className={buttonClass('plain')}
            aria-label={`${t('vaults.import')} ${name}`}
          >
            {t('vaults.import')}
          </Link>
        )}
        <Button aria-label={`${t('vaults.export')} ${name}`} onClick={() => setExported(true)}>
          {t('vaults.export')}
        </Button>
        {role !== 'owner' ? null : (
          <>
            <Button aria-label={`${t('vaults.links')}: ${name}`} onClick={() => setPublic(true)}>
              {t('vaults.links')}
            </Button>
            {is_default ? null : <Button onClick={() => promoting.mutate(id)}>{t('vaults.makeDefault')}</Button>}
            <Button aria-label={`${t('vaults.edit')}: ${name}`} onClick={() => setEdited(true)}>
              {t('vaults.edit')}
            </Button>
            <Button look="danger" aria-label={`${t('vaults.delete')}: ${name}`} onClick={ask}>
              {t('vaults.delete')}
            </Button>
          </>
        )}
      </span>
      <span className={lists.about} dir="auto">
        {role === 'owner' ? null : `${sharedText(tVault, vault)} · `}
        {role === 'owner' && (members ?? 0) > 0 ? `${t('vaults.members', { count: members })} · ` : null}
        {t('vaults.counts', { notes: note_count, files: attachment_count })}
        {description === null ? null : ` · ${description}`}
      </span>
      {confirm.dialog}
      {isExported ? <ExportDialog vault={vault} close={() => setExported(false)} /> : null}
      {isShared ? (
        <Suspense>
          <ShareDialog vault={vault} note={null} close={() => setShared(false)} />
        </Suspense>
      ) : null}
      {isPublic ? <PublicLinks vaultId={id} target={null} close={() => setPublic(false)} /> : null}
      {isEdited ? <EditVault vault={vault} close={() => setEdited(false)} /> : null}
    </li>
  );
}

function NewVault() {
  const t = useTexts('settings');
  const creating = useChange(vaultsApi.create, keys.vaults, t('saved'));
  return (
    <section className={styles.section} aria-labelledby="new-vault">
      <h2 id="new-vault">{t('vaults.new')}</h2>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          creating.mutate(String(new FormData(form).get('name')), { onSuccess: () => form.reset() });
        }}
      >
        <Field label={t('vaults.name')} name="name" required maxLength={120} />
        <Button type="submit" aria-disabled={creating.isPending}>
          {t('vaults.create')}
        </Button>
      </form>
    </section>
  );
}

function DeletedVault({ vault: { id, name, purge_at } }: { readonly vault: Vault }) {
  const t = useTexts('settings');
  const confirm = useConfirm();
  const restoring = useChange(vaultsApi.restore, keys.vaults, t('vaults.restored', { name }));
  const purging = useChange(vaultsApi.purge, keys.vaults);
  return (
    <li className={lists.row}>
      <span className={lists.name} dir="auto">
        {name}
      </span>
      <span className={lists.buttons}>
        <Button onClick={() => restoring.mutate(id)}>{t('vaults.restore')}</Button>
        <Button
          look="danger"
          onClick={() =>
            confirm.ask({
              title: t('vaults.purgeTitle', { name }),
              text: t('vaults.purgeText'),
              yes: t('vaults.purge'),
              run: () => purging.mutate(id),
            })
          }
        >
          {t('vaults.purge')}
        </Button>
      </span>
      {purge_at === null ? null : (
        <span className={lists.about}>
          {t('vaults.purgeAt', { date: new Date(purge_at).toLocaleDateString(i18next.language) })}
        </span>
      )}
      {confirm.dialog}
    </li>
  );
}

/** Changes the name and the description of a vault. */
function EditVault({ vault, close }: { readonly vault: Vault; readonly close: () => void }) {
  const t = useTexts('settings');
  const tVault = useTexts('vault');
  const saving = useChange((body: UpdateVaultBody) => vaultsApi.update(vault.id, body), keys.vaults, t('saved'));
  return (
    <Dialog title={t('vaults.editTitle', { name: vault.name })} close={close}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const description = String(form.get('description')).trim();
          const body = { name: String(form.get('name')), description: description === '' ? null : description };
          saving.mutate(body, { onSuccess: close });
        }}
      >
        <Field label={t('vaults.name')} name="name" defaultValue={vault.name} required maxLength={120} />
        <Field label={t('vaults.description')} name="description" defaultValue={vault.description ?? ''} />
        <DialogButtons>
          <Button onClick={close}>{tVault('cancel')}</Button>
          <Button type="submit" look="primary" aria-disabled={saving.isPending}>
            {t('save')}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
