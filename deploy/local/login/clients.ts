/** Who may ask the login of a local stack for tokens, and where it is. */
export const loginUrl = (port: number) => `http://127.0.0.1:${port}`;
export const LOGIN_CLIENT = 'sss';
/** The staff console is another client. */
export const CONSOLE_CLIENT = 'console';
