/** How the pages look: as the web app does, with its colours for light and dark, without loading anything of it. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--page:light-dark(#fcfbf9,#191714);--raised:light-dark(#ffffff,#282623);--sunken:light-dark(#eeede9,#12100e);--text:light-dark(#26221e,#e2dfda);--muted:light-dark(#5c5752,#aca9a2);--border:light-dark(#8a857e,#78746e);--hairline:light-dark(#dedcd8,#363430);--accent:light-dark(#096770,#64cacf);--on-accent:light-dark(#fcfcfc,#0a191a);--danger:light-dark(#ae2e2a,#f28881)}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;padding:max(8dvh,32px) 16px 32px;background:var(--page);color:var(--text);font:14px/1.4 ui-sans-serif,system-ui,-apple-system,"Segoe UI","Noto Sans","Liberation Sans",sans-serif;overflow-wrap:break-word;-webkit-text-size-adjust:100%}
header{display:grid;justify-items:center;gap:8px;margin-bottom:24px;color:var(--muted)}
header svg{width:48px;height:48px}
main{width:min(100%,26rem);margin:0 auto;padding:24px;background:var(--raised);border:1px solid var(--hairline);border-radius:12px}
h1{font-size:20px;font-weight:600;line-height:1.25;margin:0 0 12px;overflow-wrap:anywhere;text-wrap:balance}
p{margin:0 0 16px}
.soft{color:var(--muted);font-size:13px}
.bad{color:var(--danger)}
p.bad{padding:8px 12px;border:1px solid var(--hairline);border-left:3px solid var(--danger);border-radius:4px}
code{overflow-wrap:anywhere;font-size:.92em}
dl{margin:0 0 16px;padding:12px 16px;border-radius:8px;background:var(--sunken);font-size:13px}
dt{color:var(--muted)}
dd{margin:0 0 8px;overflow-wrap:anywhere}
dd:last-child{margin:0}
fieldset{border:0;margin:0 0 16px;padding:0;min-width:0}
legend{font-weight:600;padding:0;margin-bottom:4px}
label{display:block;font-weight:600;margin-bottom:4px}
.row{display:flex;align-items:center;justify-content:space-between;gap:16px;padding:8px 0;border-top:1px solid var(--hairline)}
.row label{font-weight:400;margin:0;overflow-wrap:anywhere;min-width:0}
input,select,button{font:inherit;color:inherit;min-height:36px;padding:4px 8px;background:var(--raised);border:1px solid var(--border);border-radius:4px}
input{width:100%;margin-bottom:16px}
select{flex:none;max-width:60%}
.buttons{display:flex;flex-wrap:wrap;gap:8px;justify-content:flex-end;margin-bottom:16px}
.buttons:last-child,p:last-child{margin-bottom:0}
button{cursor:pointer;padding:4px 12px;border-color:var(--hairline);border-radius:8px}
button:hover{border-color:var(--border)}
button.main{background:var(--accent);border-color:var(--accent);color:var(--on-accent);font-weight:600}
button.link{min-height:24px;border:0;padding:0;background:none;text-decoration:underline;color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media (pointer:coarse){input,select,button{min-height:44px}input,select{font-size:16px}}
`;

/** The mark of the app, which a page without any address to load from can show. */
export const MARK =
  '<svg viewBox="0 0 64 64" aria-hidden="true"><rect width="64" height="64" rx="14" fill="#096770"/><path d="M18 46V18h4.6l18.8 20.4V18H46v28h-4.6L22.6 25.6V46z" fill="#fcfcfc"/></svg>';
