/** How public pages look: as notes do while they are read, with the colours of the app, in print without them. */
export const PUBLIC_STYLE = `
:root{color-scheme:light dark;--page:light-dark(#fdfcfa,#1c1b19);--sunken:light-dark(#f3f0ea,#23211e);--hairline:light-dark(#e8e3da,#302d28);--text:light-dark(#211e19,#ebe7df);--muted:light-dark(#544e45,#b8b1a6);--faint:light-dark(#6e675c,#9f988c);--accent-ink:light-dark(#0b6b62,#7ad3c4);--underline:light-dark(#4f958b,#45897f);--danger:light-dark(#b3372b,#f0897d);--ok:light-dark(#26774b,#5fc38b);--warn:light-dark(#985608,#e3a04f);--info:light-dark(#2b6aa9,#7db4ea);--highlight:light-dark(#fbe7a2,#5b4a14);--line:light-dark(#d8d1c4,#423e37);--border:light-dark(#8a8274,#7d776c);--accent:light-dark(#0b6b62,#5fc7b6);--on-accent:light-dark(#fff,#0e1f1c)}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;padding:clamp(24px,6vw,64px) 20px 64px;background:var(--page);color:var(--text);font:16.5px/1.62 Inter,ui-sans-serif,system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif;overflow-wrap:break-word;-webkit-text-size-adjust:100%}
main,nav,footer{max-width:34.75rem;margin-inline:auto}
h1,h2,h3,h4,h5,h6{line-height:1.25;text-wrap:balance;margin:1.6em 0 .5em;font-weight:650}
h1{font-size:34px;letter-spacing:-.02em;margin-top:0}h2{font-size:22px}h3{font-size:19px}h4,h5,h6{font-size:1em}
p,ul,ol,blockquote,figure,.table,.callout,.formula,pre,details,.html{margin:0 0 1em}
p:empty{display:none}
li>p{margin:0}li>ul,li>ol{margin:0}
ul,ol{padding-inline-start:1.6em}
li:has(>.task){list-style:none}.done{color:var(--faint);text-decoration:line-through}
.task{position:relative}.task>input{appearance:none;position:absolute;inset-inline-start:-24px;top:calc(.81em - 8.5px);width:17px;height:17px;margin:0;border:1.6px solid var(--border);border-radius:5px;print-color-adjust:exact}.task>:checked{background:var(--accent);border-color:var(--accent)}.task>:checked::after{content:"";position:absolute;left:4.5px;top:1.3px;width:5px;height:9px;border:solid var(--on-accent);border-width:0 2px 2px 0;transform:rotate(42deg)}
a{color:var(--accent-ink);text-decoration:underline var(--underline) 1px;text-underline-offset:3px}
.tag{color:var(--accent-ink)}
mark{background:var(--highlight);color:inherit;border-radius:3px}
blockquote{border-inline-start:2px solid var(--line);padding-inline-start:18px;color:var(--muted)}
img,video{max-width:100%;height:auto;border-radius:6px}audio{width:100%}
hr{border:0;border-top:1px solid var(--hairline);margin:2em 0}
code,pre,kbd{font-family:"JetBrains Mono",ui-monospace,"Noto Sans Mono",monospace;font-size:.88em}
:not(pre)>code,kbd{background:var(--sunken);border-radius:4px;padding:.1em .3em}
.code,.source{position:relative;background:var(--sunken);border:1px solid var(--hairline);border-radius:10px;padding:12px 15px}
pre{overflow-x:auto;margin:0;white-space:pre;line-height:1.5}.source{white-space:pre-wrap}
figcaption{position:absolute;inset-inline-end:12px;top:8px;padding-inline-start:8px;background:var(--sunken);color:var(--faint);font-size:12px}
.t-keyword{color:var(--accent-ink)}.t-string{color:var(--ok)}.t-number{color:var(--warn)}.t-comment{color:var(--faint)}.t-type{color:var(--info)}.t-function{font-weight:600}.t-invalid{color:var(--danger)}
.table{overflow-x:auto;border:1px solid var(--hairline);border-radius:10px}table{border-collapse:collapse;width:100%;font-size:15px;line-height:1.5}th,td{border:1px solid var(--hairline);border-width:1px 0 0 1px;padding:8px 14px;text-align:start;vertical-align:top}tr>:first-child{border-left:0}thead th{border-top:0;background:var(--sunken);color:var(--muted);font-size:13px;font-weight:600}.left{text-align:left}.center{text-align:center}.right{text-align:right}
.callout{--look:var(--info);--soft:light-dark(#e7f0f9,#1b2937);background:var(--soft);border-radius:10px;padding:11px 16px 12px;font-size:15.5px}
.callout-title{font-weight:620;color:var(--look);margin:0 0 .3em}.callout>:last-child,.callout:not([open])>summary{margin-bottom:0}
.c-tip,.c-success{--look:var(--ok);--soft:light-dark(#e6f2ea,#1b2d23)}.c-question,.c-warning{--look:var(--warn);--soft:light-dark(#fbf0df,#2f2718)}.c-danger{--look:var(--danger);--soft:light-dark(#fbebe8,#352320)}.c-quote,.c-example{--look:var(--muted);--soft:var(--sunken)}
.formula{overflow-x:auto;text-align:center}
.footnote{display:flex;gap:.6em;color:var(--muted);font-size:.9em}.footnote p{margin:0 0 .5em}
.file::before{content:"↓ "}
nav{font-size:14px;margin-bottom:28px}nav ul,.tree{list-style:none;padding-inline-start:1em;margin:0}summary{cursor:pointer}.tree li{padding:2px 0}.tree b{font-weight:600}
[aria-current]{font-weight:600;text-decoration:none}
.soft{color:var(--muted);font-size:14px}
.bad{color:var(--danger)}
form{display:grid;gap:12px;max-width:20rem}label{font-size:14px;font-weight:550}
input[type=password],button{font:inherit;color:inherit;min-height:44px;padding:4px 12px;border:1px solid var(--faint);border-radius:9px;background:var(--page)}
button{background:var(--accent-ink);border-color:transparent;color:var(--page);font-weight:550;cursor:pointer}
:focus-visible{outline:2px solid var(--accent-ink);outline-offset:2px}
@media (forced-colors:active){.task>input{appearance:auto}.task>:checked::after{content:none}}
@media print{:root{color-scheme:light;background:#fff}body{padding:0;background:none;font-size:11pt}nav{display:none}pre{white-space:pre-wrap}h1,h2,h3,h4{break-after:avoid}figure,table,img,.callout{break-inside:avoid}}
`;
