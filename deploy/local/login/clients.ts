/** The clients of the local login, and its address. */
export const loginUrl = (port: number) => `http://127.0.0.1:${port}`;
export const LOGIN_CLIENT = 'sss';
export const CONSOLE_CLIENT = 'console';
