import { useTexts } from '../../i18n/use-texts.ts';
import { serverUrl } from '../../platform/base.ts';
import { setOwnDevice } from '../../session/own-device.ts';
import { Button } from '../../ui/controls/button.tsx';
import { hasOwnDevice } from './own-device.tsx';

/** Leaves the app to sign in by the provider, which leads back to this page. */
export function ProviderButton({ name, isMain }: { readonly name: string; readonly isMain: boolean }) {
  const t = useTexts('start');
  return (
    <Button
      look={isMain ? 'primary' : 'plain'}
      onClick={({ currentTarget: { form } }) => {
        const remember = form === null || hasOwnDevice(new FormData(form));
        setOwnDevice(remember);
        // Without the fragment, which may hold a secret; the app keeps invitations itself.
        const page = location.pathname + location.search;
        const query = new URLSearchParams({ return_to: page, remember: String(remember) });
        location.assign(`${serverUrl()}/api/auth/oidc/start?${query}`);
      }}
    >
      {t('signInBy', { name })}
    </Button>
  );
}
