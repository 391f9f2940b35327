import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { StartCard, StartForm } from '../start/start-card.tsx';
import { Button } from '../ui/button.tsx';
import { errorText } from '../ui/error-text.ts';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';

/** Makes the first vault of an account. */
export function FirstVault() {
  const t = useTexts('vault');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const creation = useMutation({
    mutationFn: (name: string) => api.createVault(name),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: keys.vaults });
      await navigate({ to: '/vaults/$vaultId', params: { vaultId: id } });
    },
  });
  return (
    <StartCard title={t('firstVault.title')} text={t('firstVault.text')}>
      <StartForm submit={(form) => creation.mutate(String(form.get('name')))}>
        <Field
          label={t('firstVault.name')}
          name="name"
          defaultValue={t('firstVault.suggestion')}
          maxLength={120}
          required
        />
        {creation.error === null ? null : <Notice kind="danger">{errorText(t, creation.error)}</Notice>}
        <Button type="submit" look="primary" aria-disabled={creation.isPending}>
          {t('firstVault.create')}
        </Button>
      </StartForm>
    </StartCard>
  );
}
