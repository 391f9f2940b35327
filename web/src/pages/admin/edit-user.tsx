import type { AdminUser, AdminUserChange } from '@notevault/protocol/admin.ts';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { api } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { adminLinksQuery, healthQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { Dialog, DialogButtons } from '../../ui/dialogs/dialog.tsx';
import styles from '../settings/settings.module.css';

const ROLES = ['member', 'admin'] as const;

/** Changes the plan and the role of an account. */
export function EditUser({ user, close }: { readonly user: AdminUser; readonly close: () => void }) {
  const t = useTexts('admin');
  const tSettings = useTexts('settings');
  const tVault = useTexts('vault');
  const { data: health } = useSuspenseQuery(healthQuery);
  const plans = [...new Set([...health.plans, user.plan])];
  const saving = useChange((change: AdminUserChange) => api.admin.updateUser(user.id, change), keys.admin);
  return (
    <Dialog title={user.email} close={close}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const role = ROLES.find((name) => name === form.get('role')) ?? user.role;
          saving.mutate({ plan: String(form.get('plan')), role }, { onSuccess: close });
        }}
      >
        <Choice label={t('users.planLabel')} name="plan" defaultValue={user.plan}>
          {plans.map((plan) => (
            <option key={plan}>{plan}</option>
          ))}
        </Choice>
        <Choice label={t('users.role')} hint={t('users.roleHint')} name="role" defaultValue={user.role}>
          {ROLES.map((role) => (
            <option key={role} value={role}>
              {t(`users.${role}`)}
            </option>
          ))}
        </Choice>
        <PublicLinks user={user} />
        <DialogButtons>
          <Button onClick={close}>{tVault('cancel')}</Button>
          <Button type="submit" look="primary" aria-disabled={saving.isPending}>
            {tSettings('save')}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

/** How many public links an account has, which an admin can end all at once. */
function PublicLinks({ user }: { readonly user: AdminUser }) {
  const t = useTexts('admin');
  const { data: count = 0 } = useQuery(adminLinksQuery(user.id));
  const ending = useChange(() => api.admin.endLinks(user.id), keys.adminLinks(user.id), t('users.linksEnded'));
  return (
    <p>
      {t('users.links', { count })}{' '}
      {count === 0 ? null : (
        <Button aria-disabled={ending.isPending} onClick={() => ending.mutate(undefined)}>
          {t('users.endLinks')}
        </Button>
      )}
    </p>
  );
}
