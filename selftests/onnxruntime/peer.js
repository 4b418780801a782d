// SPDX-License-Identifier: GPL-2.0-only
// Run a model by onnxruntime on one thread: writes its first output, and prints
// the least time of a run in ms, and what the memory of the process grew by.
//
// usage: node peer.js MODEL INPUT OUTPUT LOOP
const fs = require("fs");
const ort = require("onnxruntime-node");

async function main([model, input, output, loop]) {
	const bytes = fs.readFileSync(input);
	const data = new Float32Array(bytes.buffer.slice(bytes.byteOffset,
		bytes.byteOffset + bytes.length));
	const before = process.memoryUsage().rss;
	const session = await ort.InferenceSession.create(model, {
		intraOpNumThreads: 1, interOpNumThreads: 1,
		executionMode: "sequential", logSeverityLevel: 3,
	});
	const feeds = {
		[session.inputNames[0]]:
			new ort.Tensor("float32", data, [1, 3, 224, 224]),
	};
	let least = Infinity, result;
	for (let i = 0; i < loop; i++) {
		const begin = process.hrtime.bigint();
		result = await session.run(feeds);
		const ms = Number(process.hrtime.bigint() - begin) / 1e6;
		least = Math.min(least, ms);
	}
	const values = result[session.outputNames[0]].data;
	fs.writeFileSync(output, Buffer.from(values.buffer, values.byteOffset,
		values.byteLength));
	console.log(JSON.stringify({
		ms: least, bytes: process.memoryUsage().rss - before,
	}));
}

main(process.argv.slice(2));
