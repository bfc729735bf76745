// What the suite starts as a server: passes what it says to the process that has all servers, and ends with SIGTERM.
import net from 'node:net';

const host = net.connect(process.argv[2]);
process.stdin.pipe(host, { end: false });
host.pipe(process.stdout);
host.once('close', () => process.exit(0));
