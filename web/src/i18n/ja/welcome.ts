import type { welcome as english } from '../en/welcome.ts';

export const welcome: typeof english = {
  step: 'ステップ{{number}}/{{total}}',
  steps: 'ステップ',
  back: '戻る',
  next: '次へ',
  done: 'ノートへ',
  notes: {
    title: 'ノートを取り込みましょう',
    text: 'Markdownのフォルダー(Obsidianの保管庫など)、そのzip、またはJoplin(.jex)やNotionの書き出しを取り込めます。まず何が起こるかを表示します。',
    empty: '空の保管庫で始める',
    skip: '取り込まずに進む',
  },
  connect: {
    title: '使うものを接続しましょう',
    text: 'どれも後で設定からできます。実際に通信があると、カードが緑になります。',
  },
  checks: {
    title: 'サーバーの準備はできていますか？',
    text: 'このブラウザーから見た状態です。サーバー上の「notevault doctor」はさらに詳しく調べます。',
    again: 'もう一度調べる',
    ok: '問題なし',
    warning: '要確認',
    fault: '問題あり',
    secure: {
      title: '接続は暗号化されています',
      bad: '接続は暗号化されていません',
      fix: 'CaddyなどのTLS対応プロキシを前に置き、httpsのアドレスで開いてください。そうしないとパスワードやノートが途中で読まれる恐れがあり、ほかの端末では一部の機能が使えません。',
    },
    address: {
      title: 'サーバーは自分のアドレスを知っています',
      bad: 'サーバーは自分のアドレスを知らない可能性があります',
      fix: 'NOTEVAULT_PUBLIC_URLをブラウザーに表示されているアドレスに設定し、サーバーを再起動してください。アシスタントやリンクが使います。',
    },
    socket: {
      title: 'リアルタイム編集が届きます',
      bad: 'リアルタイム編集が届きません',
      fix: '前に置いたプロキシでWebSocket(UpgradeとConnectionヘッダー)を通してください。',
    },
    clock: {
      title: '時計が合っています',
      bad: '時計が合っていません',
      fix: 'サーバーかこの端末の時計がずれています。両方でNTPを有効にしてください。',
    },
    disk: {
      title: 'ディスクに空きがあります',
      bad: 'ディスクがいっぱいです',
      fix: 'ディスクがいっぱいです。空きができるまで保存できません。',
    },
    database: {
      title: 'データベースは正常です',
      bad: 'データベースの一部が壊れています',
      fix: '「notevault doctor」で壊れた箇所が分かります。サーバーを止め、データをそのままコピーしてから、バックアップを復元してください。詳しくはdocs/operations.mdの「Damaged pages」をご覧ください。',
    },
    backup: {
      title: '最近のバックアップがあります',
      bad: '最近のバックアップがありません',
      fix: 'NOTEVAULT_BACKUP_DIRを別のディスクのフォルダーに設定すると、毎日バックアップします。マスターキーの控えは別の場所に保管してください。最後のバックアップが失敗した場合は「notevault status」で理由が分かります。',
    },
  },
};
