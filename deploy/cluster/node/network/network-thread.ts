// The thread that serves connections and names: what the node itself is busy with holds up no pod.
import { createSocket } from 'node:dgram';
import { parentPort } from 'node:worker_threads';
import { answer, parseQuery } from './dns-message.ts';
import type { Routes } from './routes.ts';
import { serviceProxy } from './service-proxy.ts';

/** What pods are told to ask for names. */
const NAME_SERVER = '10.96.0.10';
const NAME_PORT = 53;

const proxy = serviceProxy((made) => parentPort?.postMessage(made));
let names: Routes['names'] = {};
parentPort?.on('message', (routes: Routes) => {
  names = routes.names;
  proxy.use(routes.routes);
});

const socket = createSocket('udp4');
socket.on('message', (message, { address, port }) => {
  const question = parseQuery(message);
  if (!question) return;
  const known = Object.hasOwn(names, question.name) ? names[question.name] : undefined;
  socket.send(answer(question, known), port, address);
});
socket.bind(NAME_PORT, NAME_SERVER);
