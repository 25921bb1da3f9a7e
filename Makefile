# Each target installs what it needs, if anything is missing (scripts/setup), and then works.
.DEFAULT_GOAL := help
.PHONY: help build run test test-long test-failures model test-fresh test-versions test-peers lint format fuzz-short fuzz \
        sim sim-long scenario chaos stores-up stores-down bench-schedule bench-sim bench-keeper \
        bench-store bench-failover bench-idle bench-verify clean

help:
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

build: ## build/cronce, the release build
	@scripts/setup build test
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target cronce
	@ln -sfn release/cronce build/cronce

# The store and what lies beside it: build/run. What must not be lost with a store: build/state.
run: build ## start a node with examples/jobs.yaml on build/run/cronce.db; Ctrl-C drains
	@mkdir -p build/run
	@printf '%s\n' '' 'A node starts here, with the jobs of examples/jobs.yaml. In another terminal:' '' \
	  '  export CRONCE_STORE=sqlite:$(CURDIR)/build/run/cronce.db' \
	  '  build/cronce jobs                   what there is, and when it runs next' \
	  '  build/cronce history                what has run, and what was skipped and why' \
	  '  build/cronce logs -f heartbeat      what it prints' \
	  '  build/cronce why slow-import SLOT   the story of one slot, from the history' \
	  '  build/cronce trigger heartbeat      run a job now, once' \
	  '  build/cronce verify                 is every slot accounted for, and none twice' '' \
	  'Start "make run" there too: two nodes, and still every slot runs once.' \
	  'Ctrl-C: what runs may end; twice: it is stopped.' ''
	@exec build/cronce run --store sqlite:build/run/cronce.db --state build/state examples/jobs.yaml

stores-up: ## a private PostgreSQL server; prints its URL; WITH="synchronous-standby pooler": these too
	@scripts/setup test
	@scripts/stores up $(WITH)

stores-down: ## stops them, and keeps their files
	@scripts/stores down

test: ## all tests but the long ones; those that need no speed under sanitizers
	@scripts/test

test-long: ## the oracle with 10^7 cases; the contract with faults where they take long
	@scripts/setup build test
	@cmake --preset release >/dev/null
	@cmake --build --preset release
	@ctest --preset long -j "$$(nproc)"

test-failures: ## the failures that have a name, on PostgreSQL, with real processes (minutes)
	@scripts/setup build test
	@cmake --preset asan >/dev/null
	@cmake --build --preset asan --target node_process_test
	@ctest --preset failures -j "$$(nproc)"

model: ## the Spin models of the protocol, each whole and with each of its rules removed (minutes)
	@scripts/setup model
	@test/model/run

test-fresh: ## make test of the last commit on a bare Debian in a chroot (root; minutes)
	@scripts/setup fresh
	@scripts/test-fresh

test-versions: ## the PostgreSQL store on each major version of the server that npm has (minutes)
	@scripts/setup build test versions
	@scripts/test-versions $(VERSIONS)

test-peers: build ## compare our times with those of other schedulers
	@scripts/setup peers
	@test/peers/run

lint: ## format, clang-tidy, direction of includes, state of the tree
	@scripts/setup build test bench lint
	@scripts/lint

format: ## rewrite our C++ files in the project's format
	@scripts/setup lint
	@git ls-files -co --exclude-standard '*.cc' '*.h' | xargs -r clang-format-19 -i

fuzz-short: ## each fuzz target for 30 seconds
	@scripts/setup build fuzz
	@scripts/fuzz 30

fuzz: ## each fuzz target for 10 minutes
	@scripts/setup build fuzz
	@scripts/fuzz 600

sim: ## the simulated cluster: all of it, or SEED=n (with a trace), or CANARY=k
	@scripts/setup build test
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target sim
	@build/release/test/sim/sim $(if $(SEED),--seed $(SEED) --trace $(if $(LIVENESS),--liveness) \
	  $(if $(CANARY),--canary $(CANARY)),$(if $(CANARY),--canary $(CANARY),--standard)) --jobs "$$(nproc)"

scenario: ## the scenarios of test/scenario: all, or ONLY=C10; UPDATE=1 rewrites their traces
	@scripts/setup build test
	@cmake --preset asan >/dev/null
	@cmake --build --preset asan --target scenario_test
	@build/asan/test/scenario/scenario_test $(if $(UPDATE),--update) --gtest_brief=1 \
	  $(if $(ONLY),--gtest_filter='*.$(ONLY)*')

# Without MINUTES: 200 faults and every failpoint on SQLite, three minutes on PostgreSQL.
chaos: ## real nodes, killed, frozen and cut off; STORE=postgres, MINUTES=n, SEED=n
	@scripts/setup build test
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target chaos
	@build/release/test/chaos/chaos --store $(or $(STORE),sqlite) --naive --expect twice --seconds 15 \
	  --faults 20 >build/chaos-control.log; code=$$?; tail -n 1 build/chaos-control.log; exit $$code
	@minutes=$(or $(MINUTES),$(if $(filter postgres,$(STORE)),3)); \
	if [ -n "$$minutes" ]; then \
	  set -- --seconds $$((minutes * 60)) --faults $$((minutes * 45)) --commands $$((minutes * 60)); \
	else set -- --seconds 150 --faults 200 --commands 350 --all-failpoints; fi; \
	build/release/test/chaos/chaos --store $(or $(STORE),sqlite) --seed $(or $(SEED),1) "$$@"

sim-long: ## the simulated cluster with 1,000,000 seeds (hours; FIRST=n LAST=m: a part), all canaries
	@scripts/setup build test
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target sim
	@build/release/test/sim/sim --seeds $(or $(FIRST),1)-$(or $(LAST),1000000) --mixed --progress \
	  --jobs "$$(nproc)"
	@build/release/test/sim/sim --canaries --jobs "$$(nproc)"

bench-schedule: build ## time of one next start, beside other schedulers
	@scripts/setup bench peers
	@bench/schedule/run

bench-sim: ## events and seeds per second of the simulated cluster, instructions per event
	@scripts/setup build test bench
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target sim
	@bench/sim/run

bench-keeper: ## 1,000 commands due at one instant, beside posix_spawn alone
	@scripts/setup build bench
	@bench/keeper/run

bench-store: ## slots per second beside raw limits, of SQLite or of STORE=postgres
	@scripts/setup build test bench
	@bench/store/$(if $(filter postgres,$(STORE)),postgres,run)

bench-idle: ## what a node costs while nothing is due: 100,000 jobs, and the example
	@scripts/setup build bench
	@bench/idle/run

bench-verify: ## verify of ten million rows, beside reading them
	@scripts/setup build bench
	@bench/verify/run

bench-failover: ## lateness of a slot whose home node is killed or told to leave; 100 commands a second
	@scripts/setup build bench
	@bench/failover/run

clean: ## remove build/
	rm -rf build
