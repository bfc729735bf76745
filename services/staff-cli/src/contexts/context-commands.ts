import { type Command, Option } from 'commander';
import { formatOf } from '../output/format.ts';
import { writeTable } from '../output/write-answer.ts';
import { serviceNames } from '../services.ts';
import type { CommonFlags, Runtime } from '../session.ts';
import type { ContextFlags } from './edit-context.ts';

// Loaded lazily: schemas take a while.
const load = () => import('./context-file.ts');

/** Adds `sss contexts`: the environments of the configuration file. */
export function addContextCommands(program: Command, { settings, terminal }: Runtime): void {
  const contexts = program
    .command('contexts')
    .description('Manage the environments that sss connects to')
    .usage('<subcommand> [arguments] [options]')
    .helpCommand(false);
  contexts
    .command('add')
    .argument('<NAME>')
    .summary('Add a context, or change one')
    .description(
      'Adds a context, or changes only what you give of an existing one. The flags apply to all services, or to one with --service. With --kube, sss connects through kubectl port-forward. The first context becomes the current one.',
    )
    .addOption(
      new Option('--service <name>', 'Apply the flags to this service only').choices([...serviceNames]),
    )
    .option('--url <url>', 'Address of the services; {service} stands for the name of each')
    .option('--tls-server-name <name>', "Name in the server's certificate, if it differs from the address")
    .option('--ca <file>', 'Certificate authority of the servers (PEM)')
    .option('--client-certificate <file>', 'Client certificate (PEM)')
    .option('--client-key <file>', 'Key of the client certificate (PEM)')
    .option('--login-issuer <url>', 'For `sss login`: address of the identity provider')
    .option('--login-client-id <id>', 'For `sss login`: client id of sss there')
    .option('--login-scope <scope>', 'For `sss login`: scope to request')
    .option('--login-audience <name>', 'For `sss login`: audience of the token')
    .addHelpText(
      'after',
      '\nExample:\n  sss contexts add staging --url https://{service}.staging.example:8443 --ca staging-ca.pem --client-certificate me.pem --client-key me-key.pem',
    )
    .action(async (name: string, _: unknown, command: Command) =>
      terminal.note((await load()).addContext(name, command.optsWithGlobals<ContextFlags>(), settings)),
    );
  contexts
    .command('list')
    .description('List contexts')
    .addHelpText('after', '\nExample:\n  sss contexts list')
    .action(async (_: unknown, command: Command) => {
      const listed = (await load()).listContexts(settings);
      const table = {
        heads: ['CONTEXT', 'CURRENT', 'ADDRESS'],
        rows: listed.map(({ context, current, address }) => [context, current ? 'yes' : 'no', address]),
      };
      const json = { contexts: listed.map((one) => ({ ...one })) };
      writeTable(
        json,
        { text: table, csv: table },
        formatOf(command.optsWithGlobals<CommonFlags>()),
        terminal,
      );
    });
  contexts
    .command('use')
    .argument('<NAME>')
    .description('Set the current context')
    .addHelpText('after', '\nExample:\n  sss contexts use staging')
    .action(async (name: string) => {
      (await load()).useContext(name, settings);
      terminal.note(`switched to context ${name}`);
    });
  contexts
    .command('remove')
    .argument('<NAME>')
    .description('Remove a context and its login')
    .addHelpText('after', '\nExample:\n  sss contexts remove staging')
    .action(async (name: string) => {
      (await load()).removeContext(name, settings);
      terminal.note(`removed context ${name}`);
    });
}
