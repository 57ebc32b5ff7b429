package builtin

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strconv"

	"github.com/google/uuid"

	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

func utilRandom() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "util.random", Category: "utility", SideEffects: tool.None, Facts: tool.Facts{Random: true},
			Aliases: map[string]string{"list": "items", "n": "count", "take": "count"},
		},
		Found: &tool.Found{List: "items"},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			seed := args.String("seed")
			if seed == "" {
				seed = seedOf(env)
			}
			r, items, count := chance(seed, env), args.List("items"), args.Int("count")
			if !args.Has("items") {
				ids := make([]any, max(count, 1))
				for i := range ids {
					ids[i] = randomUUID(r)
				}
				return tool.Data{"items": ids, "seed": seed}, ctx.Err()
			}
			if !args.Has("count") {
				count = 1
			}
			if count > len(items) {
				return nil, fault.New(fault.Validation, "tools.random.few", fault.P{"n": strconv.Itoa(len(items)), "count": strconv.Itoa(count)})
			}
			picked := make([]any, 0, count)
			for _, i := range r.Perm(len(items))[:count] {
				picked = append(picked, items[i])
			}
			return tool.Data{"items": picked, "seed": seed}, nil
		},
	})
}

// seedOf makes the seed of a step: another one for each plan that is made, and the
// same each time that it is simulated, run or gone on with, since its clock is fixed.
func seedOf(env *tool.Env) string {
	step := ""
	if env.Call != nil {
		step = env.Call.StepID
	}
	sum := digest.Sum256(append(binary.BigEndian.AppendUint64(nil, uint64(env.Now.UnixMilli())), step...))
	return hex.EncodeToString(sum[:4])
}

// chance gives the random numbers of a seed; each turn of a loop has its own.
func chance(seed string, env *tool.Env) *rand.Rand {
	turn := 0
	if env.Call != nil && env.Call.Iteration != nil {
		turn = env.Call.Iteration.Index
	}
	sum := digest.Sum256([]byte(strconv.Itoa(turn) + " " + seed))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])))
}

// randomUUID makes a UUID of the fourth version (RFC 9562).
func randomUUID(r *rand.Rand) string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], r.Uint64())
	binary.BigEndian.PutUint64(id[8:], r.Uint64())
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id.String()
}
