import { useTexts } from '../i18n/use-texts.ts';
import { Notice } from '../ui/feedback/notice.tsx';
import { Page } from './page.tsx';

/** In place of a page that members who only read a vault have not. */
export function ForEditors({ title }: { readonly title: string }) {
  const t = useTexts('vault');
  return (
    <Page title={title}>
      <Notice kind="plain">{t('shared.forEditors')}</Notice>
    </Page>
  );
}
