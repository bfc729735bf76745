// The program that the suite starts as a server: connects the suite to the process that runs all servers, and ends on
// SIGTERM.
import net from 'node:net';

const host = net.connect(process.argv[2]);
process.stdin.pipe(host, { end: false });
host.pipe(process.stdout);
host.once('close', () => process.exit(0));
