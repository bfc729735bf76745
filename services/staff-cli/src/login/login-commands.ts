import { visible } from '@supplier/lib/text/visible';
import type { Command } from 'commander';
import { resolveContext } from '../connection/context.ts';
import { claimsOf, findToken } from '../connection/token.ts';
import { forgetToken, storeToken } from '../connection/token-store.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { formatOf } from '../output/format.ts';
import { writeJson } from '../output/write-answer.ts';
import { serviceNames } from '../services.ts';
import type { CommonFlags, Runtime } from '../session.ts';

/** Adds `login`, `logout` and `whoami`. */
export function addLoginCommands(program: Command, runtime: Runtime): void {
  const { settings, terminal, now, signal } = runtime;

  program
    .command('login')
    .description('Log in by confirming a code in a browser')
    .action(async (_: unknown, command: Command) => {
      const context = await resolveContext(command.optsWithGlobals<CommonFlags>(), settings);
      if (!context.login)
        throw new CommandFailure(
          exitCodes.usage,
          `${context.name} has no login: set it with \`sss contexts add ${context.name} --login-issuer URL --login-client-id ID\``,
        );
      // Loaded lazily, because only this command needs it.
      const { logIn } = await import('./device-flow.ts');
      const token = await logIn(
        context.login,
        ({ url, code, expiresInSeconds }) => {
          terminal.note(
            `Open ${visible(url)} within ${Math.round(expiresInSeconds / 60)} minutes and confirm this code:`,
          );
          terminal.note(`  ${visible(code)}`);
        },
        signal,
      );
      const { subject, roles, endsAt } = claimsOf(token);
      storeToken(settings.folder, context.key, token);
      const until = endsAt ? ` until ${endsAt.toISOString()}` : '';
      terminal.note(
        `logged in to ${context.name} as ${visible(subject)} (${roles.map(visible).join(', ')})${until}`,
      );
    });

  program
    .command('logout')
    .description('Log out of the context')
    .action(async (_: unknown, command: Command) => {
      const context = await resolveContext(command.optsWithGlobals<CommonFlags>(), settings);
      const had = forgetToken(settings.folder, context.key);
      terminal.note(had ? `logged out of ${context.name}` : `not logged in to ${context.name}`);
    });

  program
    .command('whoami')
    .description('Show the context, your identity and your roles')
    .action(async (_: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags>();
      const context = await resolveContext(flags, settings);
      const { token, source } = findToken(context, flags.tokenFile, settings, now());
      const { subject, issuer, roles, audiences, endsAt } = claimsOf(token);
      const facts = {
        context: context.name,
        subject,
        roles: [...roles],
        issuer,
        audiences: [...audiences],
        ends_at: endsAt?.toISOString() ?? 'never',
        token_from: source,
        services: Object.fromEntries(serviceNames.map((name) => [name, context.services[name].address])),
      };
      const format = formatOf(flags);
      if (format.kind === 'csv')
        throw new CommandFailure(exitCodes.usage, '`sss whoami` does not support --csv: use --json');
      if (format.kind === 'json' || format.get !== undefined) return writeJson(facts, format, terminal);
      terminal.lines([
        `context     ${facts.context}`,
        `subject     ${visible(subject)}`,
        `roles       ${roles.map(visible).join(', ')}`,
        `issuer      ${visible(issuer)}`,
        `audiences   ${audiences.map(visible).join(', ')}`,
        `ends_at     ${facts.ends_at}`,
        `token_from  ${source}`,
        ...serviceNames.map((name) => `${name.padEnd(10)}  ${context.services[name].address}`),
      ]);
    });
}
