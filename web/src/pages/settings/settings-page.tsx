import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { meQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { SettingsShell } from './settings-shell.tsx';

const PAGES = [
  ['/settings', 'profile.title'],
  ['/settings/vaults', 'vaults.title'],
  ['/settings/connections', 'connections.title'],
  ['/settings/sessions', 'sessions.title'],
] as const;

/** The settings: a list of their pages, and one of them. */
export function SettingsPage() {
  const t = useTexts('settings');
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <SettingsShell label={t('title')}>
      {PAGES.map(([to, name]) => (
        <Link key={to} to={to} activeOptions={{ exact: true }}>
          {t(name)}
        </Link>
      ))}
      {me.role === 'admin' ? <Link to="/admin">{t('admin')}</Link> : null}
    </SettingsShell>
  );
}
