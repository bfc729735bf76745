const frame = (body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Log in to the local stack</title>
<style>body{font:16px system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem}label{display:block;margin:1rem 0}</style>
</head><body>${body}</body></html>
`;

/** The page for a device that shows a code. */
export const loginPage = (userCode: string, roles: readonly string[]): string =>
  whoPage(
    '/device',
    `<label>Code shown in the terminal <input name="user_code" value="${escaped(userCode)}" required></label>`,
    roles,
  );

/** The page for this browser. Sends the request back with the form. */
export const codePage = (asked: URLSearchParams, roles: readonly string[]): string =>
  whoPage(
    '/authorize',
    [...asked]
      .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
      .join('\n'),
    roles,
  );

function whoPage(action: string, fields: string, roles: readonly string[]): string {
  const options = roles.map((role) => `<option>${escaped(role)}</option>`).join('');
  return frame(`<h1>Log in to the local stack</h1>
<p>This page is part of a local stack and believes any name that you enter. Elsewhere, an identity provider checks who you are.</p>
<form method="post" action="${action}">
${fields}
<label>Name <input name="name" value="local-staff" required></label>
<label>Role <select name="role">${options}</select></label>
<button name="decision" value="approve">Log in</button> <button name="decision" value="deny">Deny</button>
</form>`);
}

export const outcomePage = (message: string): string => frame(`<p>${escaped(message)}</p>`);

const escaped = (text: string) => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
