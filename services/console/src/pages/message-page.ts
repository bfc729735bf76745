/** A page of one sentence, which is ours and holds nothing of a request, and the way back to the login. */
export const messagePage = (sentence: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Staff console</title>
<h1>Staff console</h1>
<p>${sentence}</p>
<p><a href="/login">Log in</a></p>
</html>
`;
