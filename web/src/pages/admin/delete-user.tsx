import type { AdminUser } from '@notevault/protocol/admin.ts';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { EraseDialog } from '../settings/erase-dialog.tsx';

/** Erases an account with everything in it, after asking for the password of the admin. */
export function DeleteUser({ user: { id, email }, close }: { readonly user: AdminUser; readonly close: () => void }) {
  const t = useTexts('admin');
  const queries = useQueryClient();
  const erase = async (password: string) => {
    await api.admin.deleteUser(id, password);
    close();
    await queries.invalidateQueries({ queryKey: keys.admin });
  };
  return (
    <EraseDialog
      title={t('users.deleteTitle', { email })}
      about={t('users.deleteText')}
      label={t('users.password')}
      action={t('users.delete')}
      close={close}
      erase={erase}
    />
  );
}
