import type { UpdateVaultBody, Vault } from '@notevault/protocol/vaults.ts';
import { keys } from '../../data/keys.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Dialog, DialogButtons } from '../../ui/dialogs/dialog.tsx';
import styles from './settings.module.css';
import { vaultsApi } from './settings-api.ts';

/** Changes the name and the description of a vault. */
export function EditVault({ vault, close }: { readonly vault: Vault; readonly close: () => void }) {
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
