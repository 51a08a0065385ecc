// Starts one bare workflow for each POST and answers when it has ended.
import { randomUUID } from 'node:crypto';
import { serveBare } from './bare-server';

void serveBare((client) =>
  client.workflow.execute('bareFlow', { workflowId: randomUUID(), taskQueue: 'bare' }),
);
